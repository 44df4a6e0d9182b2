/** The number of measured visits for each set of proofs. */
export const visitsSetting = 'VISITS';
