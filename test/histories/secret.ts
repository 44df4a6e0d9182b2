/** The master secret recorded histories are encrypted under: of the recordings alone. */
export const recordedSecretHex = '7d'.repeat(32);
