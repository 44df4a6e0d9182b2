import type { AffidavitDeps } from '../../../activities/affidavit/activities.ts';
import type { PlatformKeys } from '../../../activities/certificates/load-keys.ts';
import { logOriginOf } from '../../../activities/transparency/config.ts';
import { createLogSigner } from '../../../activities/transparency/log-signer.ts';

/** The operator and the log that the worker of a test platform names in its affidavits. */
export function namedIn(
  keys: Pick<PlatformKeys, 'secret'>,
  baseUrl: string,
): Pick<AffidavitDeps, 'operator' | 'logKey'> {
  const name = logOriginOf({ BASE_URL: baseUrl });
  return { operator: null, logKey: createLogSigner(keys.secret('transparency-log'), name).key };
}
