/**
 * Whether a phone signs a proof: what goes wrong there goes well before, so that the check begins.
 * @param clientData what the `attest` header speaks of, in JSON
 */
export const isOverProof = (clientData: Uint8Array): boolean =>
  Buffer.from(clientData).includes('/proofs/');
