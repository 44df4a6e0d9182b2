import { createLogSigner, type LogSigner } from '../../activities/transparency/log-signer.ts';
import type { Deps } from '../deps.ts';

/** The key that checkpoints are signed by, under the name of the log. */
export function logSignerOf({ keys, settings }: Pick<Deps, 'keys' | 'settings'>): LogSigner {
  return createLogSigner(keys.secret('transparency-log'), settings.logOrigin);
}
