/**
 * Environment variable with the folder in which a run of the whole suite records the answers it has
 * seen. Unset in any other run.
 */
export const witnessFolder = 'TRUSTCHECK_WITNESS_FOLDER';
