import { z } from 'zod';
import { rotatableKeys, type RotatableKey } from '../../activities/keys/changes/rotate-keys.ts';
import { CustodyError } from '../../activities/keys/custody/custody-error.ts';
import { readReference, type KeyReference } from '../../activities/keys/custody/key-reference.ts';
import { secretName } from '../../activities/keys/directory/load-secrets.ts';
import { AdminFault, read } from '../admin/admin.ts';

export const keyName = z.enum(
  rotatableKeys,
  `must be one of ${[...rotatableKeys, secretName].join(', ')}`,
);
/** `[NAME=]PLACE`. */
const keyWord = new RegExp(`^(?:(${rotatableKeys.join('|')})=)?(.+)$`);

/**
 * Reads the values of `--key`: `[NAME=]PLACE`. PLACE is `file`, `awskms:///ARN` or a `pkcs11:` URI.
 * @param usual the name for a value without one; null if each value must have a name
 * @throws AdminFault for an unreadable value, a repeated name or a name that is not allowed
 */
export function keyPlacesIn(
  words: readonly string[],
  usual: RotatableKey | null,
  isAllowed: (name: RotatableKey) => boolean,
): Map<RotatableKey, KeyReference | 'file'> {
  const places = new Map<RotatableKey, KeyReference | 'file'>();
  for (const word of words) {
    const [, of = usual, text = ''] = keyWord.exec(word) ?? [];
    if (of === null) {
      throw new AdminFault(`--key: begins with one of ${rotatableKeys.join('=, ')}=`);
    }
    const name = read('--key', keyName, of);
    if (!isAllowed(name) || places.has(name)) {
      const why = usual === null ? '' : `, or is not replaced with ${usual}`;
      throw new AdminFault(`--key: ${name} is named twice${why}`);
    }
    places.set(name, text === 'file' ? text : referenceIn(text));
  }
  return places;
}

function referenceIn(text: string): KeyReference {
  try {
    return readReference(text);
  } catch (error) {
    if (!(error instanceof CustodyError)) throw error;
    throw new AdminFault(`--key: ${error.message}`, { cause: error });
  }
}
