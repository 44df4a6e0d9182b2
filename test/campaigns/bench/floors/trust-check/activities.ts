const nothing = async (): Promise<void> => undefined;

/** The steps of a trust check by name, empty. */
export const floorActivities = {
  take: nothing,
  judge: nothing,
  decide: nothing,
};

export type FloorActivities = typeof floorActivities;
