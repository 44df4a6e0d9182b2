/** The port for every private key of the platform. */

export type SignatureAlgorithm = 'ES256' | 'RS256';

/**
 * A signing key and its certificate chain. Drivers: `file` (encrypted PKCS#8, key-signer.ts),
 * `aws-kms` and `pkcs11` (held-signer.ts).
 */
export interface Signer {
  /** RFC 7638 SHA-256 thumbprint of the public key, base64url. */
  readonly kid: string;
  readonly algorithm: SignatureAlgorithm;
  /** DER certificates, leaf first, without the root. */
  readonly certificateChain: readonly Uint8Array[];
  /** The root above the chain, DER, if the signer includes it in its signatures. */
  readonly root?: Uint8Array;
  /**
   * Signs the bytes, hashing them with SHA-256. Returns a DER sequence for ECDSA, PKCS#1 v1.5 bytes
   * for RSA.
   */
  sign(tbs: Uint8Array): Promise<Uint8Array>;
  /** Where the key is, as its file refers to it; absent if the file contains the key itself. */
  readonly heldAt?: string;
  /**
   * For a key outside of this process: has it sign a challenge, to check that it is there and
   * matches the certificate. Throws a CustodyError.
   */
  readonly prove?: () => Promise<void>;
}
