import { createHash, randomBytes, verify, type KeyObject } from 'node:crypto';
import type { IssuingSigner } from '../../../domain/pki/x509/key-signer.ts';
import { publicJwkOf, thumbprintOf } from '../../../domain/pki/x509/thumbprint.ts';
import { Failure } from '../../../workflows/failures.ts';
import { CustodyError } from '../custody/custody-error.ts';
import type { Keeper } from '../custody/keeper.ts';
import { textOf, type KeyReference } from '../custody/key-reference.ts';

/** A signer whose key is held elsewhere. */
export interface CustodySigner extends IssuingSigner {
  readonly algorithm: 'ES256';
  /**
   * Has a challenge of chance signed, by which the key is seen to be there, and that of its
   * certificate.
   * @throws CustodyError
   */
  prove(): Promise<void>;
}

/** One who may be busy, or away for a moment, is asked again after this. */
const retryAfterSeconds = 5;
const challengeBytes = 32;

/**
 * A signer over a private key on P-256 that somebody else holds. Every signature is verified before
 * it is given: under a certificate or an affidavit a wrong one would show years later.
 * `sign` throws a Failure `dependency_unavailable`, whose cause is what the keeper says.
 * @param publicKey as the certificate has it
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
