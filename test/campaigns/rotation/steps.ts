import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import {
  isPublishedFirst,
  rotatableKeys,
  type RotatableKey,
} from '../../../activities/keys/changes/rotate-keys.ts';
import { createWrapper } from '../../../activities/keys/data-keys-config.ts';
import { loadKeys } from '../../../activities/keys/directory/load-keys.ts';
import { secretName } from '../../../activities/keys/directory/load-secrets.ts';
import { publish, rotate } from '../../../cli/keys/change-keys.ts';
import { publishMasterSecret, rotateMasterSecret } from '../../../cli/keys/change-master-secret.ts';
import type { Db } from '../../../db/client.ts';
import { rewrapSome } from '../../../db/sealing/rewrap.ts';
import { agePublished } from '../../support/commands/rotate-in-peace.ts';
import type { Fleet } from '../../support/platform/fleet.ts';
import { openTestDb, type TestPlatform } from '../../support/platform/harness.ts';
import type { Load } from './load.ts';

/** What can be rotated: keys in the directory through commands, key rings through settings. */
export const rotations = [...rotatableKeys, secretName, 'codec', 'master'] as const;
export type RotationName = (typeof rotations)[number];

export interface Site {
  readonly platform: TestPlatform;
  readonly fleet: Fleet;
  readonly load: Load;
  readonly say: (line: string) => void;
}

/** Rotates each key in turn, and waits for all callers after each step. */
export async function rotateAll(site: Site, names: readonly RotationName[]): Promise<void> {
  const db = openTestDb(site.platform.facts.databaseUrl);
  try {
    let settings: Record<string, string> = {};
    for (const name of names) {
      const isRing = name === 'codec' || name === 'master';
      if (isRing) settings = await rotateRing(site, db, name, settings);
      else await rotateFile(site, db, name, settings);
    }
  } finally {
    await db.end();
  }
}

/** Publishes, waits and rotates, then restarts every process in turn. */
async function rotateFile(
  { platform, fleet, load, say }: Site,
  db: Db,
  name: RotatableKey | typeof secretName,
  settings: Readonly<Record<string, string>>,
): Promise<void> {
  const { dataDir, baseUrl, own } = platform.facts;
  const given = { dataDir, baseUrl, account: String(own.account_id) };
  const isSecret = name === secretName;
  if (isSecret || isPublishedFirst(name)) {
    const now = new Date();
    await (isSecret ? publishMasterSecret(db, given, now) : publish(db, { ...given, name }, now));
    agePublished(join(dataDir, 'keys'));
    await load.settle();
  }
  const now = new Date();
  say(await (isSecret ? rotateMasterSecret(db, given, now) : rotate(db, { ...given, name }, now)));
  await load.settle();
  await fleet.roll(settings);
  await load.settle();
}

/** Adds the new key everywhere, uses it everywhere, then removes the old one. */
async function rotateRing(
  { platform, fleet, load, say }: Site,
  db: Db,
  name: 'codec' | 'master',
  before: Readonly<Record<string, string>>,
): Promise<Record<string, string>> {
  const [current, retired] =
    name === 'codec' ? ['CODEC_KEY', 'CODEC_KEYS_RETIRED'] : ['MASTER_KEY', 'MASTER_KEYS_RETIRED'];
  const next = `next:${randomBytes(32).toString('base64')}`;
  await fleet.roll({ ...before, [retired]: next });
  await load.settle();
  const after = { ...before, [current]: next, [retired]: 'k1:master' };
  await fleet.roll(after);
  await load.settle();
  if (name === 'master') {
    const { secret } = loadKeys(join(platform.facts.dataDir, 'keys'));
    const wrapper = createWrapper(
      { MASTER_KEY: next, MASTER_KEYS_RETIRED: 'k1:master' },
      secret('data-keys'),
    );
    for (let at: string | null = ''; at !== null;) {
      ({ after: at } = await rewrapSome(db, wrapper, at, 500));
    }
    await fleet.roll({ ...before, [current]: next });
    await load.settle();
    say(`${name} next`);
    return { ...before, [current]: next };
  }
  say(`${name} next`);
  return after;
}
