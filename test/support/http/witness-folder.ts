/**
 * The setting that names the folder into which a run of the whole suite writes which failures it has
 * seen; unset in any other run.
 */
export const witnessFolder = 'TRUSTCHECK_WITNESS_FOLDER';
