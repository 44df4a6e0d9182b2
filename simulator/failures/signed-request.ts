/**
 * Returns true if a phone signs a proof. Such a failure leaves earlier requests valid, so that the
 * check begins.
 * @param clientData JSON that the `attest` header signs
 */
export const isOverProof = (clientData: Uint8Array): boolean =>
  Buffer.from(clientData).includes('/proofs/');
