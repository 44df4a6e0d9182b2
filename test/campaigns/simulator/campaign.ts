/** Set to try every cause, including slow ones and those of the other phone. */
export const wholeSetting = 'SIMULATOR_WHOLE';
