import type { AffidavitDeps } from '../../../activities/affidavit/activities.ts';
import type { PlatformKeys } from '../../../activities/keys/directory/load-keys.ts';
import { logOriginOf } from '../../../activities/transparency/config.ts';
import { createLogSigner } from '../../../domain/transparency/log-signer.ts';

/** What the worker of a test platform says about it in affidavits. */
export function namedIn(
  keys: Pick<PlatformKeys, 'secret'>,
  baseUrl: string,
  hasDevelopmentRoots = true,
): Pick<AffidavitDeps, 'platform'> {
  const name = logOriginOf({ BASE_URL: baseUrl });
  const { key: logKey } = createLogSigner(keys.secret('transparency-log'), name);
  return { platform: { operator: null, logKey, hasDevelopmentRoots } };
}
