/** How often the test kills at each step; unset, it kills at a few of them once. */
export const roundsSetting = 'TRUSTCHECK_FAILPOINT_ROUNDS';
