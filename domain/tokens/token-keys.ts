import type { KeyObject, X509Certificate } from 'node:crypto';
import { signsOnMsMax } from '../secret-purposes.ts';
import { checkTokenLifeMs } from './check-token-life.ts';

/** The longest life of a token that the token key signs: that of a check token. */
export const tokenLifeMsMax = checkTokenLifeMs;

/** How long tokens of a replaced key are accepted: until the last of them expires. */
export const tokenOverlapMs = signsOnMsMax + tokenLifeMsMax;

/** The keys that verify the platform's own tokens. */
export interface TokenKeys {
  /**
   * The public key of a `kid`, if tokens under it are accepted at that instant: the key that signs,
   * the published next one, or a replaced one with tokens that have not expired. Else null.
   */
  tokenKey(kid: string, now: Date): KeyObject | null;
}

interface TokenKey {
  readonly kid: string;
  readonly certificate: X509Certificate;
  /** Absent for a key without an end. */
  readonly acceptedUntil?: Date | null;
}

/**
 * Looks token keys up by `kid`.
 * docs/decisions/009-secrets-and-rotation.md
 */
export function tokenKeysOf(keys: readonly TokenKey[]): TokenKeys {
  const accepted = new Map(
    keys
      .filter(({ acceptedUntil }) => acceptedUntil !== null)
      .map(({ kid, certificate, acceptedUntil }) => [
        kid,
        { publicKey: certificate.publicKey, endsAt: acceptedUntil },
      ]),
  );
  return {
    tokenKey: (kid, now) => {
      const found = accepted.get(kid);
      return found && !(found.endsAt && found.endsAt <= now) ? found.publicKey : null;
    },
  };
}
