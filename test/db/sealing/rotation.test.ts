import { randomBytes } from 'node:crypto';
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createWrapper, masterKeyConfig } from '../../../activities/keys/data-keys-config.ts';
import { parseConfig } from '../../../activities/runtime/config.ts';
import type { Db } from '../../../db/client.ts';
import { rewrapSome } from '../../../db/sealing/rewrap.ts';
import { createSealer } from '../../../db/sealing/sealed.ts';
import type { Wrapper } from '../../../db/sealing/wrapper.ts';
import { Failure } from '../../../workflows/failures.ts';
import { commandHere } from '../../support/commands/command-here.ts';
import { ownDirectory } from '../../support/commands/run-command.ts';
import { platformKeys } from '../../support/keys/bundles.ts';
import { createDatabase } from '../../support/platform/harness.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';

let db: Db;
let url = '';
let drop: () => Promise<void>;
beforeAll(async () => {
  ({ db, url, drop } = await createDatabase(ownPlatform().databaseUrl));
});
afterAll(() => drop());

const secret = randomBytes(32);
const keyOf = (byte: number): string => Buffer.alloc(32, byte).toString('base64');
const blind = Buffer.alloc(32, 9);
/** A wrapper with these settings of a process. */
const wrapperOf = (MASTER_KEY?: string, MASTER_KEYS_RETIRED?: string): Wrapper =>
  createWrapper(parseConfig(masterKeyConfig, { MASTER_KEY, MASTER_KEYS_RETIRED }), secret);
const sealerOf = (wrapper: Wrapper) => createSealer(db, wrapper, blind);
const open = async (wrapper: Wrapper, owner: string, sealed: Buffer): Promise<string> =>
  (await sealerOf(wrapper).open(owner, 'links|x|1', sealed)).toString();
const seal = (wrapper: Wrapper, owner: string, text: string): Promise<Buffer> =>
  sealerOf(wrapper).seal(owner, 'links|x|1', text);
const wrappedBy = async (): Promise<Record<string, number>> => {
  const { rows } = await db.query<{ wrapped_by: string; n: number }>(
    'SELECT wrapped_by, count(*)::int AS n FROM data_keys GROUP BY 1 ORDER BY 1',
  );
  return Object.fromEntries(rows.map((row) => [row.wrapped_by, row.n]));
};
async function rewrapAll(wrapper: Wrapper, lengthMax: number) {
  const steps = [await rewrapSome(db, wrapper, '', lengthMax)];
  for (let last = steps[0]; last?.after; last = steps.at(-1)) {
    steps.push(await rewrapSome(db, wrapper, last.after, lengthMax));
  }
  return steps;
}
const faultOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => null,
    (error: unknown) =>
      error instanceof Failure && error.cause instanceof Error
        ? [error.code, error.cause.message]
        : error,
  );

describe('the master key of data keys', () => {
  it('can be rotated while processes with old and new settings run', async () => {
    const before = wrapperOf();
    const owners = Array.from({ length: 7 }, (_, place) => `account:${place + 1}`);
    const sealed = await Promise.all(owners.map((owner) => seal(before, owner, `of ${owner}`)));
    const every = async (wrapper: Wrapper): Promise<void> => {
      for (const [place, owner] of owners.entries()) {
        const text = await open(wrapper, owner, sealed[place] ?? Buffer.of());
        expect(text).toBe(`of ${owner}`);
      }
    };
    expect(await wrappedBy()).toEqual({ k1: 7 });
    // Every process knows the new key before any process wraps with it.
    const known = wrapperOf('k1:master', `2027:${keyOf(2)}`);
    const after = wrapperOf(`2027:${keyOf(2)}`, 'k1:master');
    await every(known);
    await every(after);
    const young = await seal(after, 'account:8', 'young');
    expect(await wrappedBy()).toEqual({ 2027: 1, k1: 7 });
    expect(await open(known, 'account:8', young)).toBe('young');
    // A running process keeps its data keys, whichever master key wraps them.
    const running = sealerOf(before);
    const context = 'links|x|1';
    await running.prepare('account:1');
    // Interrupted after a batch, and started again.
    expect((await rewrapSome(db, after, '', 3)).rewrapped).toBe(3);
    expect(await wrappedBy()).toEqual({ 2027: 4, k1: 4 });
    await every(after);
    const steps = await rewrapAll(after, 3);
    expect(steps.map(({ rewrapped }) => rewrapped)).toEqual([3, 1]);
    expect(await wrappedBy()).toEqual({ 2027: 8 });
    expect(await rewrapAll(after, 3)).toEqual([{ after: null, rewrapped: 0, faults: [] }]);
    const late = await running.seal('account:1', context, 'late');
    const alone = wrapperOf(`2027:${keyOf(2)}`);
    await every(alone);
    expect(await open(alone, 'account:1', late)).toBe('late');
    expect(await open(alone, 'account:8', young)).toBe('young');
  });

  it('is named in the error when it was removed too early, and no data is lost', async () => {
    const old = wrapperOf(`old:${keyOf(3)}`);
    const sealed = await seal(old, 'account:100', 'kept');
    const without = wrapperOf(`2027:${keyOf(2)}`);
    const message = 'a data key is wrapped under master key old, which is not known here';
    const fault = ['dependency_unavailable', message];
    expect(await faultOf(open(without, 'account:100', sealed))).toEqual(fault);
    expect(await faultOf(seal(without, 'account:100', 'x'))).toEqual(fault);
    const [step] = await rewrapAll(without, 100);
    expect([step?.rewrapped, step?.faults.length]).toEqual([0, 1]);
    expect(await open(wrapperOf('k1:master', `old:${keyOf(3)}`), 'account:100', sealed)).toBe(
      'kept',
    );
    // Another key under the same id does not open it, and does not overwrite it.
    const wrong = wrapperOf(`2027:${keyOf(2)}`, `old:${keyOf(4)}`);
    await expect(open(wrong, 'account:100', sealed)).rejects.toThrow();
    await expect(rewrapSome(db, wrong, '', 100)).rejects.toThrow();
    expect(await open(old, 'account:100', sealed)).toBe('kept');
  });

  it('rewraps each data key once when several processes rewrap at the same time', async () => {
    const old = wrapperOf(`old:${keyOf(3)}`);
    const owners = Array.from({ length: 20 }, (_, place) => `user:${place}`);
    const sealed = await Promise.all(owners.map((owner) => seal(old, owner, owner)));
    const both = wrapperOf(`2027:${keyOf(2)}`, `old:${keyOf(3)}`);
    const done = await Promise.all([1, 2, 3].map(() => rewrapSome(db, both, '', 100)));
    const total = done.reduce((sum, { rewrapped }) => sum + rewrapped, 0);
    // Plus the one that the previous test left.
    expect(total).toBe(21);
    const alone = wrapperOf(`2027:${keyOf(2)}`);
    for (const [place, owner] of owners.entries()) {
      expect(await open(alone, owner, sealed[place] ?? Buffer.of())).toBe(owner);
    }
  });

  it.each([
    ['k1:AAAA', undefined, 'MASTER_KEY: k1:master is the key of the master secret, and no other'],
    [`k2:${keyOf(2)}`, `k2:${keyOf(3)}`, 'MASTER_KEYS_RETIRED: two master keys are called k2'],
    ['k2:AAAA', undefined, 'MASTER_KEY: the key has 3 bytes, and needs 32'],
    [undefined, 'x', 'MASTER_KEYS_RETIRED, key 1: must be ID:KEY'],
  ])('is refused in one line: %s, %s', (current, retired, fault) => {
    expect(() => wrapperOf(current, retired)).toThrow(fault);
  });
});

describe('trustcheck keys rewrap', () => {
  it('rewraps the data keys of the database, and reports those it could not rewrap', async () => {
    const directory = await ownDirectory();
    const state = join(directory.path, 'state');
    await cp(join(ownPlatform().dataDir, 'keys'), join(state, 'keys'), { recursive: true });
    const master = platformKeys().secret('data-keys');
    const own = createDatabase(url);
    const { db: other, url: otherUrl, drop: dropOther } = await own;
    try {
      const config = parseConfig(masterKeyConfig, {});
      const sealed = await createSealer(other, createWrapper(config, master), blind).seal(
        'account:1',
        'c',
        'x',
      );
      const MASTER_KEY = `k2:${keyOf(2)}`;
      const run = async (more: Readonly<Record<string, string>>) => {
        const env = { MIGRATIONS_DATABASE_URL: otherUrl, MASTER_KEY, ...more };
        return commandHere(state, ['keys', 'rewrap'], env);
      };
      expect(await run({})).toEqual({
        code: 1,
        stdout: '0 data keys rewrapped under k2\n',
        stderr:
          'not all of them: a data key is wrapped under master key k1, which is not known here\n',
      });
      const retired = { MASTER_KEYS_RETIRED: 'k1:master' };
      const done = { code: 0, stdout: '1 data keys rewrapped under k2\n', stderr: '' };
      expect(await run(retired)).toEqual(done);
      const again = { ...done, stdout: '0 data keys rewrapped under k2\n' };
      expect(await run({})).toEqual(again);
      const alone = createWrapper(parseConfig(masterKeyConfig, { MASTER_KEY }), master);
      const opened = await createSealer(other, alone, blind).open('account:1', 'c', sealed);
      expect(opened.toString()).toBe('x');
    } finally {
      await dropOther();
      await directory.remove();
    }
  });
});
