/** The port behind which every private key of the platform lives. */

export type SignatureAlgorithm = 'ES256' | 'RS256';

/**
 * One signing key and the certificates that vouch for it.
 * Drivers: `file` (encrypted PKCS#8, key-signer.ts), `aws-kms` and `pkcs11` (held-signer.ts).
 */
export interface Signer {
  /** RFC 7638 SHA-256 thumbprint of the public key, base64url. */
  readonly kid: string;
  readonly algorithm: SignatureAlgorithm;
  /** DER certificates, leaf first, without the root. */
  readonly certificateChain: readonly Uint8Array[];
  /** The root above, DER, of a signer that brings it along in what it signs. */
  readonly root?: Uint8Array;
  /**
   * Signs the bytes (hashed with SHA-256 inside). ECDSA comes back as a DER sequence, RSA as PKCS#1
   * v1.5 bytes.
   */
  sign(tbs: Uint8Array): Promise<Uint8Array>;
  /** Where the key is, as its file refers to it; absent where the file holds the key itself. */
  readonly heldAt?: string;
  /**
   * Where the key is held elsewhere: has a challenge signed, by which it is seen to be there and
   * that of the certificate. Throws a CustodyError.
   */
  readonly prove?: () => Promise<void>;
}
