import { masterKeyConfig } from '../../activities/keys/data-keys-config.ts';
import { codecConfig } from '../../activities/runtime/codec/config.ts';
import { parseConfig } from '../../activities/runtime/config.ts';
import { logConfig } from '../../activities/transparency/config.ts';
import { firstOf, statement, type Db } from '../../db/client.ts';
import { masterKeyId } from '../../db/sealing/key-ring.ts';
import { firstVersion } from '../../domain/secret-purposes.ts';
import { environment } from '../environment.ts';

const wrapped = statement<{ count: number }>(
  'data_keys.wrapped_by',
  'SELECT count(*)::int AS count FROM data_keys WHERE wrapped_by = :masterKeyId',
);

/**
 * Returns the values that stay derived from a version of the master secret until they are rotated
 * themselves, each with the next step. Reads the settings of the API and the database.
 * See docs/decisions/009-secrets-and-rotation.md.
 */
export async function pinsOf(db: Db, version: number): Promise<string[]> {
  const pins: string[] = [];
  const { LOG_SECRET_VERSION } = parseConfig(logConfig, environment());
  if (version === LOG_SECRET_VERSION) {
    pins.push('the key of the public log (set LOG_ORIGIN and LOG_SECRET_VERSION for a new log)');
  }
  if (version !== firstVersion) return pins;
  pins.push('the index by which addresses and names are found (it has no rotation)');
  const { MASTER_KEY, MASTER_KEYS_RETIRED = '' } = parseConfig(masterKeyConfig, environment());
  const keys = firstOf(await wrapped(db, { masterKeyId }))?.count ?? 0;
  if (keys > 0 || hasMasterKey(MASTER_KEY, MASTER_KEYS_RETIRED)) {
    pins.push(
      `data keys under ${masterKeyId}, ${keys} so far (set MASTER_KEY and run keys rewrap)`,
    );
  }
  const { CODEC_KEY, CODEC_KEYS_RETIRED = '' } = parseConfig(codecConfig, environment());
  if (hasMasterKey(CODEC_KEY, CODEC_KEYS_RETIRED)) {
    pins.push(`payloads of workflows under ${masterKeyId} (set CODEC_KEY)`);
  }
  return pins;
}

const hasMasterKey = (...settings: readonly string[]): boolean =>
  settings
    .join(',')
    .split(',')
    .some((key) => key.trim().startsWith(`${masterKeyId}:`));
