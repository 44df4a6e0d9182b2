import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Db, preparedStatements } from '../../../db/client.ts';
import { isSessionLive } from '../../../db/queries/credentials.ts';
import { endedSessions } from '../../../workers/outboxes/sweeps/ended-sessions.ts';
import { createDatabase } from '../../support/platform/harness.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';

const now = new Date('2026-05-06T07:08:09Z');
const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;
const { signal } = new AbortController();
let db: Db;
let drop: () => Promise<void>;

beforeAll(async () => {
  ({ db, drop } = await createDatabase(ownPlatform().databaseUrl));
  // The sessions have no parents here.
  await db.query('ALTER TABLE sessions DISABLE TRIGGER ALL');
});
afterAll(() => drop());
beforeEach(() => db.query('TRUNCATE sessions'));

/** Adds sessions of twelve hours that ended, or would have ended, this long ago. */
async function add(
  name: string,
  endedMs: number,
  { count = 1, revoked = false } = {},
): Promise<void> {
  const expiresAt = new Date(now.getTime() - endedMs);
  const createdAt = new Date(expiresAt.getTime() - dayMs / 2);
  await db.query(
    `INSERT INTO sessions (sid, poly_user_id, auth_method, created_at, expires_at, revoked_at)
     SELECT $1 || ' ' || n, 'pu_nobody', 'cert', $2::timestamptz, $3, $4
     FROM generate_series(1, $5::int) n`,
    [name, createdAt, expiresAt, revoked ? createdAt : null, count],
  );
}

async function left(): Promise<string[]> {
  const { rows } = await db.query<{ sid: string }>('SELECT sid FROM sessions ORDER BY sid');
  return rows.map(({ sid }) => sid);
}

describe('ended sessions', () => {
  it('are all removed after ninety days, revoked ones too', async () => {
    await add('old', 90 * dayMs + minuteMs, { count: 2_500 });
    await add('old, revoked', 90 * dayMs + minuteMs, { revoked: true });
    await add('ended', 90 * dayMs - minuteMs);
    await add('revoked', 90 * dayMs - minuteMs, { revoked: true });
    await add('revoked just now', -dayMs / 4, { revoked: true });
    await add('live', -dayMs / 4);
    await endedSessions({ db, clock: () => now }).drain(signal);
    expect(await left()).toEqual(['ended 1', 'live 1', 'revoked 1', 'revoked just now 1']);
    const isLive = (sid: string) => isSessionLive(db, { sid, accountId: null, roles: [] }, now);
    expect(await isLive('live 1')).toBe(true);
    for (const sid of ['ended 1', 'revoked just now 1', 'old 1']) {
      expect(await isLive(sid), sid).toBe(false);
    }
  });

  it('are swept once a minute, also by two workers at the same time', async () => {
    let at = now.getTime();
    const deps = { db, clock: () => new Date(at) };
    const [one, other] = [endedSessions(deps), endedSessions(deps)];
    await one.drain(signal);
    await add('old', 91 * dayMs, { count: 3_000 });
    at += minuteMs - 1;
    await one.drain(signal);
    expect(await left()).toHaveLength(3_000);
    at += 1;
    await Promise.all([one.drain(signal), other.drain(signal)]);
    expect(await left()).toEqual([]);
  });

  it('are left for the next sweep when the worker shuts down', async () => {
    await add('old', 91 * dayMs);
    await endedSessions({ db, clock: () => now }).drain(AbortSignal.abort());
    expect(await left()).toEqual(['old 1']);
  });

  it('are found by an index on their end, without a scan of live sessions', async () => {
    await add('live', -dayMs / 4, { count: 5_000 });
    await add('old', 91 * dayMs, { count: 10 });
    await db.query('ANALYZE sessions');
    const text = `EXPLAIN ${preparedStatements.get('sessions.remove_ended')}`;
    const { rows } = await db.query<{ 'QUERY PLAN': string }>(text, [now, 1_000]);
    expect(rows.map((row) => row['QUERY PLAN']).join('\n')).toContain('sessions_expiry');
  });
});
