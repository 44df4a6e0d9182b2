/**
 * Limit of signatures to verify while searching the issuer of a signer and its revocation lists.
 * States publish at most 14 certificates with one name; a file may name 10,000.
 */
export const signatureTriesMax = 48;

/** The remaining tries of one verdict. */
export interface SignatureTries {
  areLeft(): boolean;
  /** Uses one try; returns false if none is left. */
  take(): boolean;
}

/** Creates the tries of one verdict. */
export function createSignatureTries(triesMax = signatureTriesMax): SignatureTries {
  let left = triesMax;
  return {
    areLeft: () => left > 0,
    take() {
      if (left === 0) return false;
      left -= 1;
      return true;
    },
  };
}
