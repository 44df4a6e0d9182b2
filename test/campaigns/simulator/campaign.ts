/** Set where every cause is tried, those that take seconds and those of the other phone too. */
export const wholeSetting = 'SIMULATOR_WHOLE';
