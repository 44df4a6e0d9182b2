import {
  createKeyRing,
  masterKeyId,
  ringIdForm,
  ringKeyBytes,
  type KeyRing,
  type RingKey,
} from '../../db/sealing/key-ring.ts';

/** Replaces the key in a setting: the key derived from the master secret. */
export const masterWord = 'master';

/** What the ring is for, and the two settings that define its keys. */
interface RingNames {
  readonly what: 'codec' | 'master';
  readonly current: string;
  readonly retired: string;
}

/**
 * Returns the key ring that two settings define. Each key is `ID:KEY`.
 * @param master the key derived from the master secret; settings refer to it as `k1:master`
 * @throws Error with one line that names the wrong setting, never its value
 */
export function ringOf(
  names: RingNames,
  settings: { readonly current: string; readonly retired?: string | undefined },
  master: Uint8Array,
): KeyRing {
  const current = ringKey(settings.current, names.current, master);
  const others = settings.retired?.split(',') ?? [];
  const retired = others.map((text, index) =>
    ringKey(text.trim(), `${names.retired}, key ${index + 1}`, master),
  );
  try {
    return createKeyRing([current, ...retired], names.what);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`wrong settings: ${names.current}, ${names.retired}: ${reason}`, { cause });
  }
}

function ringKey(text: string, place: string, master: Uint8Array): RingKey {
  const fault = (what: string): Error => new Error(`wrong settings: ${place}: ${what}`);
  const [id = '', key = '', ...rest] = text.split(':');
  if (rest.length > 0 || !text.includes(':') || !ringIdForm.test(id)) {
    throw fault('must be ID:KEY, with an id of at most 32 from a-z, 0-9, ".", "_" and "-"');
  }
  // Data sealed before this setting existed names the master key `k1`.
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
