/** Set to how many visits are measured for each set of proofs. */
export const visitsSetting = 'VISITS';
