/**
 * How many signatures are verified to find who issued a signer and its revocation lists. The most
 * certificates of one name that States publish are 14; a file may name 10,000.
 */
export const signatureTriesMax = 48;

/** What is left of them, for one verdict. */
export interface SignatureTries {
  areLeft(): boolean;
  /** Takes one; false when none is left. */
  take(): boolean;
}

/** Makes the allowance of one verdict. */
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
