import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  isPublishedFirst,
  type RotatableKey,
} from '../../../activities/keys/changes/rotate-keys.ts';
import {
  publish,
  publishedMsMin,
  rotate,
  type KeyChangeOptions,
} from '../../../cli/keys/change-keys.ts';
import type { Db } from '../../../db/client.ts';

/** Backdates the publication of the next keys by the period that a rotation requires. */
export function agePublished(keyDirectory: string): void {
  const next = join(keyDirectory, 'next');
  const published_at = new Date(Date.now() - publishedMsMin);
  for (const file of readdirSync(next).filter((name) => name.endsWith('.published.json'))) {
    writeFileSync(join(next, file), JSON.stringify({ published_at }));
  }
}

/**
 * Publishes, waits and rotates, as an operator does. Backdates the publication instead of waiting.
 */
export async function rotateInPeace(
  db: Db,
  given: KeyChangeOptions,
  name: RotatableKey,
): Promise<string> {
  if (isPublishedFirst(name)) {
    await publish(db, { ...given, name }, new Date());
    agePublished(join(given.dataDir, 'keys'));
    const { keys: _places, ...rest } = given;
    return rotate(db, { ...rest, name }, new Date());
  }
  return rotate(db, { ...given, name }, new Date());
}
