import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Seed } from '../../../cli/data-directory/seed.ts';
import { transaction, type Db } from '../../../db/client.ts';
import { eventsChannel } from '../../../db/queries/events.ts';
import { beginSession, call } from '../../support/http/client.ts';
import { newAccount } from '../../support/people/accounts.ts';
import { eventually, openTestDb } from '../../support/platform/harness.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';
import { startSecondApi, type SecondApi } from '../../support/platform/second-api.ts';
import { connect, endSockets, follow, subscribe } from './connect.ts';

const { databaseUrl } = ownPlatform();
const reads = { begun: 0, ended: 0 };
let counted: Db;
let db: Db;
let live: SecondApi;
/** An account without events of other tests. */
let account: Seed;

/** Returns the pool of the sockets; counts its reads of streams as they begin and end. */
function countingDb(): Db {
  const pool = openTestDb(databaseUrl);
  const query = pool.query.bind(pool) as (...args: unknown[]) => Promise<unknown>;
  const count = async (...args: unknown[]): Promise<unknown> => {
    const [{ name }] = args as [{ name?: string }];
    if (!name?.startsWith('events.list_')) return query(...args);
    reads.begun += 1;
    return query(...args).finally(() => (reads.ended += 1));
  };
  return Object.assign(pool, { query: count });
}

beforeAll(async () => {
  db = openTestDb(databaseUrl);
  counted = countingDb();
  account = await newAccount(`bursts-${process.pid}`);
  live = await startSecondApi({}, { db: counted }, { recheckMs: 60_000 });
});
afterAll(async () => {
  await live.stop();
  await Promise.all([counted.end(), db.end()]);
});
endSockets();

describe('a burst of notifications of one stream', () => {
  it.each([
    ['an object', (id: string) => `trust-check:${id}`],
    ['an account', () => `account:${account.account_id}`],
  ])('causes at most two reads of %s: one running, one after it', async (_name, streamOf) => {
    const made = await call('PUT', `/v2/${account.app_id}`, {
      token: account.api_key,
      body: { required_proofs: ['phone'] },
    });
    const session = await beginSession(String(made.body['link_uuid']));
    const stream = streamOf(session.id);
    const socket = await connect(account.api_key, { at: live.origin });
    const seen = follow(socket);
    expect(await subscribe(socket, { stream })).toMatchObject({ ok: true });
    await eventually('what there was', async () => reads.begun === reads.ended && seen.length > 0);
    const before = reads.begun;
    // The first read waits for the lock while the other notifications arrive.
    await transaction(db, async (tx) => {
      await tx.query('LOCK TABLE events IN ACCESS EXCLUSIVE MODE');
      for (let sent = 0; sent < 100; sent += 1) {
        await db.query('SELECT pg_notify($1, $2)', [eventsChannel, stream]);
      }
      await eventually('the first read', async () => reads.begun > before);
      await sleep(300);
      expect(reads.begun - before).toBe(1);
    });
    await eventually(
      'the end',
      async () => reads.ended - before >= 2 && reads.begun === reads.ended,
    );
    expect(reads.begun - before).toBe(2);
    const known = seen.length;
    await session.step('open');
    await eventually('what comes after', async () => seen.length > known);
    expect(new Set(seen.map(({ event_id }) => event_id)).size).toBe(seen.length);
  });
});
