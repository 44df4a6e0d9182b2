import { secretId, type SecretVersion } from '../../../activities/keys/directory/load-secrets.ts';
import {
  masterSecretsOf,
  type MasterSecrets,
} from '../../../activities/keys/directory/master-secrets.ts';

/** A current first version of the master secret, with changes. */
export function secretVersion(change: Partial<SecretVersion> = {}): SecretVersion {
  const secret = change.secret ?? Buffer.alloc(32, 7);
  const current = { state: 'current', publishedAt: null, endedAt: null } as const;
  return { version: 1, id: secretId(secret), secret, ...current, ...change };
}

/** Master secrets with one version, for code that needs no key directory. */
export const ownSecrets = (): MasterSecrets => masterSecretsOf([secretVersion()]);
