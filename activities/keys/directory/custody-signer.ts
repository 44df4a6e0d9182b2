import { createHash, randomBytes, verify, type KeyObject } from 'node:crypto';
import type { IssuingSigner } from '../../../domain/pki/x509/key-signer.ts';
import { publicJwkOf, thumbprintOf } from '../../../domain/pki/x509/thumbprint.ts';
import { Failure } from '../../../workflows/failures.ts';
import { CustodyError } from '../custody/custody-error.ts';
import type { Keeper } from '../custody/keeper.ts';
import { textOf, type KeyReference } from '../custody/key-reference.ts';

/** A signer with a key outside of this process. */
export interface CustodySigner extends IssuingSigner {
  readonly algorithm: 'ES256';
  /**
   * Signs a random challenge, to check that the key is available and matches its certificate.
   * @throws CustodyError
   */
  prove(): Promise<void>;
}

/** The keeper may be busy or unavailable for a moment. */
const retryAfterSeconds = 5;
const challengeBytes = 32;

/**
 * Creates a signer for a P-256 key outside of this process. Every signature is verified before it
 * is returned: a wrong one under a certificate or an affidavit could show only years later. `sign`
 * throws a Failure `dependency_unavailable` with the keeper's error as its cause.
 * @param publicKey that of the certificate
 * @param certificateChain DER, leaf first, without the root
 */
export function createCustodySigner(
  keeper: Keeper,
  reference: KeyReference,
  publicKey: KeyObject,
  certificateChain: readonly Uint8Array[],
): CustodySigner {
  const signed = async (tbs: Uint8Array): Promise<Buffer> => {
    const digest = createHash('sha256').update(tbs).digest();
    const signature = await keeper.sign(reference, digest);
    if (verify('sha256', tbs, publicKey, signature)) return signature;
    throw new CustodyError('mismatched', 'what was signed is not by the key of the certificate');
  };
  return {
    kid: thumbprintOf(publicJwkOf(publicKey)),
    algorithm: 'ES256',
    certificateChain,
    heldAt: textOf(reference),
    async sign(tbs) {
      try {
        return await signed(tbs);
      } catch (cause) {
        if (!(cause instanceof CustodyError)) throw cause;
        throw new Failure('dependency_unavailable', { cause, retryAfterSeconds });
      }
    },
    prove: async () => void (await signed(randomBytes(challengeBytes))),
  };
}
