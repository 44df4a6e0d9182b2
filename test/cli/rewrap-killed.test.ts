import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { parseConfig } from '../../activities/config.ts';
import { createWrapper, masterKeyConfig } from '../../activities/data-keys/config.ts';
import type { Db } from '../../db/client.ts';
import { createSealer, type Sealer } from '../../db/sealed.ts';
import { platformKeys } from '../bundles.ts';
import { createDatabase, eventually } from '../harness.ts';
import { ownPlatform } from '../own-platform.ts';
import { ownDirectory, ownProcesses, trustcheck } from './run-command.ts';

/** Enough that a kill meets the command before its end. */
const owners = Array.from({ length: 1_500 }, (_, place) => `account:${place + 1}`);
const [before, after] = [1, 2].map((byte) => Buffer.alloc(32, byte).toString('base64'));
const [oldKey, newKey] = [`2026:${before}`, `2027:${after}`];
const blind = Buffer.alloc(32, 9);
const processes = ownProcesses();
let db: Db;
let url = '';
let drop: () => Promise<void>;
let directory = { path: '', remove: async (): Promise<void> => undefined };

beforeAll(async () => {
  ({ db, url, drop } = await createDatabase(ownPlatform().databaseUrl));
  directory = await ownDirectory();
  await cp(join(ownPlatform().dataDir, 'keys'), join(directory.path, 'keys'), { recursive: true });
});
afterAll(async () => {
  processes.end();
  await drop();
  await directory.remove();
});

/** What seals with the settings of one process. */
function sealerOf(MASTER_KEY: string, MASTER_KEYS_RETIRED?: string): Sealer {
  const config = parseConfig(masterKeyConfig, { MASTER_KEY, MASTER_KEYS_RETIRED });
  return createSealer(db, createWrapper(config, platformKeys().secret('data-keys')), blind);
}

/** How many data keys are under the new master key. */
async function rewrapped(): Promise<number> {
  const { rows } = await db.query<{ count: number }>(
    `SELECT count(*)::int AS count FROM data_keys WHERE wrapped_by = '2027'`,
  );
  return rows[0]?.count ?? 0;
}

/** Opens what each owner has sealed: the name of the owner. */
async function expectOpen(
  sealer: Sealer,
  some: readonly string[],
  sealed: ReadonlyMap<string, Buffer>,
): Promise<void> {
  for (const owner of some) {
    const text = await sealer.open(owner, 'a context', sealed.get(owner) ?? Buffer.of());
    expect(text.toString()).toBe(owner);
  }
}

it('loses no data key when `keys rewrap` is killed, and ends when it runs again', async () => {
  const sealed = new Map<string, Buffer>();
  const old = sealerOf(oldKey);
  for (let from = 0; from < owners.length; from += 50) {
    const some = owners.slice(from, from + 50);
    const texts = await Promise.all(some.map((owner) => old.seal(owner, 'a context', owner)));
    for (const [place, owner] of some.entries()) sealed.set(owner, texts[place] ?? Buffer.of());
  }
  const env = {
    MIGRATIONS_DATABASE_URL: url,
    MASTER_KEY: newKey,
    MASTER_KEYS_RETIRED: oldKey,
  };
  const command = trustcheck(directory.path, ['keys', 'rewrap'], env);
  processes.note(command.child.pid);
  await eventually('some data keys rewrapped', async () => (await rewrapped()) > 0);
  command.child.kill('SIGKILL');
  const { code, stdout } = await command.ended;
  expect([code, stdout]).toEqual([null, '']);
  const done = await rewrapped();
  expect(done).toBeGreaterThan(0);
  expect(done).toBeLessThan(owners.length);

  // A process that still wraps by the old key and one that wraps by the new one read everything.
  const both = [sealerOf(oldKey, newKey), sealerOf(newKey, oldKey)];
  const sample = owners.filter((_owner, place) => place % 40 === 0);
  for (const sealer of both) await expectOpen(sealer, sample, sealed);
  const again = await trustcheck(directory.path, ['keys', 'rewrap'], env).ended;
  const left = owners.length - done;
  expect(again).toEqual({
    code: 0,
    stdout: `${left} data keys rewrapped under 2027\n`,
    stderr: '',
  });
  await expectOpen(sealerOf(newKey), owners, sealed);
});
