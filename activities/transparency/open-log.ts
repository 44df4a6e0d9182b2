import { createLogSigner, type LogSigner } from '../../domain/transparency/log-signer.ts';
import type { MasterSecrets } from '../keys/directory/master-secrets.ts';
import { logOriginOf } from './config.ts';
import { createPublicLog, type PublicLog, type PublicLogDeps } from './public-log.ts';
import type { Witness } from './witnesses.ts';

interface LogSettings {
  readonly BASE_URL: string;
  readonly LOG_ORIGIN?: string | undefined;
  readonly LOG_SECRET_VERSION: number;
  readonly LOG_WITNESSES_WANTED: number;
  readonly LOG_WITNESSES?: readonly Witness[] | undefined;
}

/**
 * Returns the signer of the log that the settings define. docs/decisions/013-transparency-log.md
 * @throws Error with one line when the version of the master secret does not exist
 */
export function logSignerOf(
  settings: Pick<LogSettings, 'BASE_URL' | 'LOG_ORIGIN' | 'LOG_SECRET_VERSION'>,
  keys: Pick<MasterSecrets, 'secretOf'>,
): LogSigner {
  const seed = keys.secretOf('transparency-log', settings.LOG_SECRET_VERSION);
  if (seed) return createLogSigner(seed, logOriginOf(settings));
  const what = `there is no version ${settings.LOG_SECRET_VERSION} of the master secret`;
  throw new Error(`wrong settings: LOG_SECRET_VERSION: ${what}`);
}

/** Opens the public log that the settings define. */
export function openPublicLog(
  settings: LogSettings,
  {
    keys,
    ...deps
  }: Pick<PublicLogDeps, 'db' | 'store' | 'clock'> & {
    readonly keys: Pick<MasterSecrets, 'secretOf'>;
  },
): PublicLog {
  const logSigner = logSignerOf(settings, keys);
  const { LOG_WITNESSES_WANTED: witnessesWanted, LOG_WITNESSES: witnesses } = settings;
  return createPublicLog({ ...deps, logSigner, witnessesWanted, witnesses });
}
