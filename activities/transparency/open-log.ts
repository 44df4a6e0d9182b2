import type { PlatformKeys } from '../certificates/load-keys.ts';
import { logOriginOf } from './config.ts';
import { createLogSigner } from './log-signer.ts';
import { createPublicLog, type PublicLog, type PublicLogDeps } from './public-log.ts';
import type { Witness } from './witnesses.ts';

interface LogSettings {
  readonly BASE_URL: string;
  readonly LOG_ORIGIN?: string | undefined;
  readonly LOG_WITNESSES_WANTED: number;
  readonly LOG_WITNESSES?: readonly Witness[] | undefined;
}

/** The public log of a process as it is set, under the key that follows from the master secret. */
export function openPublicLog(
  settings: LogSettings,
  {
    keys,
    ...deps
  }: Pick<PublicLogDeps, 'db' | 'store' | 'clock'> & { readonly keys: PlatformKeys },
): PublicLog {
  const logSigner = createLogSigner(keys.secret('transparency-log'), logOriginOf(settings));
  const { LOG_WITNESSES_WANTED: witnessesWanted, LOG_WITNESSES: witnesses } = settings;
  return createPublicLog({ ...deps, logSigner, witnessesWanted, witnesses });
}
