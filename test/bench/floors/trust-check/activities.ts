const nothing = async (): Promise<void> => undefined;

/** The steps of a trust check by name, empty. */
export const floorActivities = {
  judge: nothing,
  decide: nothing,
  project: nothing,
  conclude: nothing,
};

export type FloorActivities = typeof floorActivities;
