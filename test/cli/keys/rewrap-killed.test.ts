import { randomBytes } from 'node:crypto';
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createWrapper, masterKeyConfig } from '../../../activities/keys/data-keys-config.ts';
import { parseConfig } from '../../../activities/runtime/config.ts';
import type { Db } from '../../../db/client.ts';
import { createSealer, type Sealer } from '../../../db/sealing/sealed.ts';
import type { Wrapper } from '../../../db/sealing/wrapper.ts';
import { ownDirectory, ownProcesses, trustcheck } from '../../support/commands/run-command.ts';
import { platformKeys } from '../../support/keys/bundles.ts';
import { createDatabase, eventually } from '../../support/platform/harness.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';

/** Enough data keys that a kill interrupts the command. */
const othersCount = 3_000;
const owners = Array.from({ length: 40 }, (_, place) => `account:${place + 1}`);
const keysCount = othersCount + owners.length;
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

/** Returns the wrapper of a process with these settings. */
function wrapperOf(MASTER_KEY: string, MASTER_KEYS_RETIRED?: string): Wrapper {
  const config = parseConfig(masterKeyConfig, { MASTER_KEY, MASTER_KEYS_RETIRED });
  return createWrapper(config, platformKeys().secret('data-keys'));
}

const sealerOf = (current: string, retired?: string): Sealer =>
  createSealer(db, wrapperOf(current, retired), blind);

/** Adds data keys of many other owners in one statement. */
async function addOthers(wrapper: Wrapper): Promise<void> {
  const others = Array.from({ length: othersCount }, (_, place) => `user:${place}`);
  const keys = await Promise.all(others.map((owner) => wrapper.wrap(owner, randomBytes(32))));
  await db.query(
    `INSERT INTO data_keys (kid, owner, wrapped, wrapped_by, created_at)
     SELECT owner, owner, wrapped, $3, now() FROM unnest($1::text[], $2::bytea[]) AS t(owner, wrapped)`,
    [others, keys.map(({ wrapped }) => wrapped), wrapper.currentId],
  );
}

/** Counts the data keys under the new master key. */
async function rewrapped(): Promise<number> {
  const { rows } = await db.query<{ count: number }>(
    `SELECT count(*)::int AS count FROM data_keys WHERE wrapped_by = '2027'`,
  );
  return rows[0]?.count ?? 0;
}

/** Asserts that each owner’s sealed text opens to the owner’s name. */
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

it('keys rewrap loses no data key when killed, and finishes when it runs again', async () => {
  const sealed = new Map<string, Buffer>();
  const old = sealerOf(oldKey);
  for (const owner of owners) sealed.set(owner, await old.seal(owner, 'a context', owner));
  await addOthers(wrapperOf(oldKey));
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
  expect(done).toBeLessThan(keysCount);

  // Processes with either current master key can read everything.
  const both = [sealerOf(oldKey, newKey), sealerOf(newKey, oldKey)];
  for (const sealer of both) await expectOpen(sealer, owners, sealed);
  const again = await trustcheck(directory.path, ['keys', 'rewrap'], env).ended;
  const left = keysCount - done;
  expect(again).toEqual({
    code: 0,
    stdout: `${left} data keys rewrapped under 2027\n`,
    stderr: '',
  });
  await expectOpen(sealerOf(newKey), owners, sealed);
  expect(await rewrapped()).toBe(keysCount);
});
