import { createKms, type KmsOptions } from './aws-kms.ts';
import { CustodyError } from './custody-error.ts';
import type { Keeper } from './keeper.ts';
import { createTokens, type TokensOptions } from './pkcs11.ts';

/** Access to keys outside of files. A keeper that is not configured is not used. */
export interface CustodyOptions {
  readonly kms: KmsOptions;
  readonly pkcs11: TokensOptions | null;
}

/** Creates a keeper for every kind of reference. It connects when a key is first used. */
export function openKeeper({ kms, pkcs11 }: CustodyOptions): Keeper {
  const ofKms = createKms(kms);
  const tokens = pkcs11 && createTokens(pkcs11);
  const withTokens = (): NonNullable<typeof tokens> => {
    if (tokens) return tokens;
    throw new CustodyError('unset', 'its key is behind PKCS#11: set KEYS_PKCS11_MODULE');
  };
  return {
    publicKeyOf: async (key) =>
      key.driver === 'aws-kms' ? ofKms.publicKeyOf(key) : withTokens().publicKeyOf(key),
    sign: async (key, digest) =>
      key.driver === 'aws-kms' ? ofKms.sign(key, digest) : withTokens().sign(key, digest),
  };
}
