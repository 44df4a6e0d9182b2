import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Db, transaction, fullReach } from '../../../db/client.ts';
import { randomIds } from '../../../db/ids.ts';
import { migrate } from '../../../db/migrating/migrate.ts';
import { appendEvents, listAccount } from '../../../db/queries/events.ts';
import { addAccount } from '../../../db/queries/seeding.ts';
import { createSealer } from '../../../db/sealing/sealed.ts';
import { masterWrapper } from '../../../db/sealing/wrapper.ts';
import { createDatabase } from '../../support/platform/harness.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';

let db: Db;
let url = '';
let drop: () => Promise<void>;

beforeAll(async () => {
  ({ db, url, drop } = await createDatabase(ownPlatform().databaseUrl));
});
afterAll(() => drop());

describe('sealed columns', () => {
  const masterKey = randomBytes(32);

  it('open for their owner and context only', async () => {
    const sealer = createSealer(db, masterWrapper(masterKey), masterKey);
    const sealed = await sealer.seal('account:1', 'links|x|1', 'Anna');
    expect((await sealer.open('account:1', 'links|x|1', sealed)).toString()).toBe('Anna');
    await expect(sealer.open('account:1', 'links|x|2', sealed)).rejects.toThrow();
    await expect(sealer.open('account:2', 'links|x|1', sealed)).rejects.toThrow();
    for (let at = 0; at < sealed.length; at += 1) {
      const changed = Buffer.from(sealed);
      changed[at] = (changed[at] ?? 0) ^ 1;
      await expect(sealer.open('account:1', 'links|x|1', changed)).rejects.toThrow();
    }
    await expect(sealer.open('account:1', 'links|x|1', Buffer.alloc(3))).rejects.toThrow();
  });

  it('share one data key when processes start at the same time', async () => {
    const sealers = Array.from({ length: 20 }, () =>
      createSealer(db, masterWrapper(masterKey), masterKey),
    );
    const sealed = await Promise.all(sealers.map((one) => one.seal('account:77', 'c', 'x')));
    for (const one of sealed) {
      expect(
        (
          await createSealer(db, masterWrapper(masterKey), masterKey).open('account:77', 'c', one)
        ).toString(),
      ).toBe('x');
    }
    const { rows } = await db.query(
      `SELECT count(*)::int AS n FROM data_keys WHERE owner = 'account:77'`,
    );
    expect(rows).toEqual([{ n: 1 }]);
  });
});

describe('the event log', () => {
  it('has no gap and no duplicate in either sequence, despite races and rollbacks', async () => {
    const now = new Date();
    const [account] = await addAccount(db, ['a', false, now]);
    const accountId = account?.account_id ?? 0;
    const event = (stream: string) => ({
      stream,
      type: 'trust_check.opened' as const,
      account_id: accountId,
      app_id: null,
      livemode: true,
      object_id: stream,
      object: {},
    });
    const writers = Array.from({ length: 60 }, async (_, index) => {
      const streams = [`s:${index % 3}`, `s:${(index + 1) % 3}`];
      await transaction(db, async (tx) => {
        await appendEvents(tx, { ids: randomIds, now }, streams.map(event));
        if (index % 5 === 0) throw new Error('rolled back');
      }).catch(() => undefined);
    });
    await Promise.all(writers);
    const rows = await listAccount(db, [accountId, 0, 1000, []], fullReach);
    expect(rows.map(({ account_seq }) => account_seq)).toEqual(rows.map((_, at) => at + 1));
    expect(rows).toHaveLength(48 * 2);
    for (const stream of ['s:0', 's:1', 's:2']) {
      const own = rows.filter((row) => row.stream === stream).map(({ seq }) => seq);
      expect(own).toEqual(own.map((_, at) => at + 1));
    }
  });

  it('appends several events at once in the given order, on any streams and accounts', async () => {
    const now = new Date();
    const accounts = await Promise.all(
      ['b', 'c'].map((name) => addAccount(db, [name, false, now])),
    );
    const ids = accounts.map(([account]) => account?.account_id ?? 0);
    const [one = 0, two = 0] = ids;
    const event = (stream: string, account_id: number, n: number) => ({
      stream,
      type: 'proof.updated' as const,
      account_id,
      app_id: null,
      livemode: true,
      object_id: stream,
      object: { n },
      ...(n % 2 === 0 ? { previousStatus: 'ready' } : {}),
    });
    const first = ['z', 'a', 'z', 'z', 'a'].map((name, n) => event(`m:${name}`, one, n));
    const second = ['y', 'y'].map((name, n) => event(`m:${name}`, two, n));
    for (const _round of [1, 2]) {
      await transaction(db, (tx) =>
        appendEvents(tx, { ids: randomIds, now }, [...second, ...first]),
      );
    }
    const rows = await listAccount(db, [one, 0, 100, []], fullReach);
    expect(rows.map(({ account_seq }) => account_seq)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    expect(rows.map(({ stream, seq }) => `${stream} ${seq}`)).toEqual([
      'm:z 1',
      'm:a 1',
      'm:z 2',
      'm:z 3',
      'm:a 2',
      'm:z 4',
      'm:a 3',
      'm:z 5',
      'm:z 6',
      'm:a 4',
    ]);
    expect(rows.map(({ data }) => data.object['n'])).toEqual([0, 1, 2, 3, 4, 0, 1, 2, 3, 4]);
    expect(rows[0]?.previous).toEqual({ status: 'ready' });
    expect(rows[1]?.previous).toBeNull();
    expect(await listAccount(db, [two, 0, 100, []], fullReach)).toHaveLength(4);
  });
});

describe('migrations', () => {
  it('can be applied by many processes at once, and repeatedly', async () => {
    await Promise.all(Array.from({ length: 5 }, () => migrate(url)));
  });
});
