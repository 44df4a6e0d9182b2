import { createHash, createPrivateKey, createPublicKey, sign } from 'node:crypto';
import type { Signer } from '../pki/signer.ts';
import { signatureTypes, type NoteKey } from './note.ts';

/** The key of the public log, with the same port as other keys. It has no certificate. */
export interface LogSigner extends Omit<Signer, 'algorithm'> {
  readonly algorithm: 'EdDSA';
  /** The key that verifies its signatures. */
  readonly key: NoteKey;
}

/** PKCS#8 of an Ed25519 key up to its 32 bytes (RFC 8410 §7). */
const pkcs8Head = Buffer.from('302e020100300506032b657004220420', 'hex');

/**
 * Creates the signer of a log.
 * @param seed 32 bytes: the private key (RFC 8032 §5.1.5)
 * @param name the origin of the log
 */
export function createLogSigner(seed: Uint8Array, name: string): LogSigner {
  const der = Buffer.concat([pkcs8Head, seed]);
  const key = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
  const { x = '' } = createPublicKey(key).export({ format: 'jwk' });
  // RFC 8037 §2: the members that a thumbprint covers.
  const members = JSON.stringify({ crv: 'Ed25519', kty: 'OKP', x });
  return {
    kid: createHash('sha256').update(members).digest('base64url'),
    algorithm: 'EdDSA',
    certificateChain: [],
    key: { name, type: signatureTypes.note, publicKey: Buffer.from(x, 'base64url') },
    sign: async (tbs) => sign(null, tbs, key),
  };
}
