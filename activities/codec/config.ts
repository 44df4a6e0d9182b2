import { z } from 'zod';
import {
  createKeyRing,
  masterKeyId,
  ringIdForm,
  ringKeyBytes,
  type KeyRing,
  type RingKey,
} from './key-ring.ts';

/** In place of a key: the one derived from the master secret. */
const masterWord = 'master';

/** Which keys payloads of workflows are sealed and opened with, each `ID:KEY`. */
export const codecConfig = z.object({
  /** The key that seals. */
  CODEC_KEY: z.string().default(`${masterKeyId}:${masterWord}`),
  /** Keys that open only: those of before, and the next one until every process knows it. */
  CODEC_KEYS_RETIRED: z.string().optional(),
});

/**
 * The ring that settings name.
 * @param master the key derived from the master secret, which settings call `k1:master`
 * @throws one line that names the setting at fault, never its value
 */
export function codecRing(
  { CODEC_KEY, CODEC_KEYS_RETIRED }: z.output<typeof codecConfig>,
  master: Uint8Array,
): KeyRing {
  const current = ringKey(CODEC_KEY, 'CODEC_KEY', master);
  const others = CODEC_KEYS_RETIRED?.split(',') ?? [];
  const retired = others.map((text, index) =>
    ringKey(text.trim(), `CODEC_KEYS_RETIRED, key ${index + 1}`, master),
  );
  try {
    return createKeyRing([current, ...retired]);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`wrong settings: CODEC_KEY, CODEC_KEYS_RETIRED: ${reason}`, { cause });
  }
}

function ringKey(text: string, place: string, master: Uint8Array): RingKey {
  const fault = (what: string): Error => new Error(`wrong settings: ${place}: ${what}`);
  const [id = '', key = '', ...rest] = text.split(':');
  if (rest.length > 0 || !text.includes(':') || !ringIdForm.test(id)) {
    throw fault('must be ID:KEY, with an id of at most 32 from a-z, 0-9, ".", "_" and "-"');
  }
  // Payloads sealed before there was a setting name that key so.
  if ((id === masterKeyId) !== (key === masterWord)) {
    throw fault(`${masterKeyId}:${masterWord} is the key of the master secret, and no other`);
  }
  if (key === masterWord) return { id, key: master };
  const bytes = Buffer.from(key, 'base64');
  if (key === '' || bytes.toString('base64') !== key) throw fault('the key is not base64');
  if (bytes.length !== ringKeyBytes) {
    throw fault(`the key has ${bytes.length} bytes, and needs ${ringKeyBytes}`);
  }
  return { id, key: bytes };
}
