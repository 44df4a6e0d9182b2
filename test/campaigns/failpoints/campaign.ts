/** Tells the test how often it is to kill at each step; without it at a few of them, once. */
export const roundsSetting = 'TRUSTCHECK_FAILPOINT_ROUNDS';
