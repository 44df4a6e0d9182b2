import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Db } from '../../db/client.ts';
import { expiredPhotos } from '../../workers/outboxes/sweeps/expired-photos.ts';
import {
  endedCalendarFlows,
  endedFaceMarks,
  oldCalendarAnswers,
  oldEmailRequests,
  oldInvites,
} from '../../workers/outboxes/sweeps/expired-records.ts';
import { createDatabase } from '../support/platform/harness.ts';
import { ownPlatform } from '../support/platform/own-platform.ts';

const now = new Date('2026-05-06T07:08:09Z');
const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;
const { signal } = new AbortController();
let db: Db;
let drop: () => Promise<void>;

beforeAll(async () => {
  ({ db, drop } = await createDatabase(ownPlatform().databaseUrl));
  // The rows have no parents here.
  for (const table of [
    'email_requests',
    'calendar_flows',
    'calendar_answers',
    'photos',
    'face_marks',
  ]) {
    await db.query(`ALTER TABLE ${table} DISABLE TRIGGER ALL`);
  }
});
afterAll(() => drop());

/** The swept tables: how to insert a row of a given age, and how long it is kept after its end. */
const kinds = [
  {
    table: 'invite_tokens',
    outbox: oldInvites,
    keptMs: 0,
    columns: 'hash, jwt_sealed, expires_at',
    values: `sha256(name::bytea), 'sealed', at`,
  },
  {
    table: 'email_requests',
    outbox: oldEmailRequests,
    keptMs: dayMs,
    columns: `request_id, purpose, address_blind, address_sealed, token_hash, browser_hash, state,
      created_at, expires_at`,
    values: `name, 'login', 'x', 'x', sha256(name::bytea), 'x', 'sent', at,
      at + interval '10 min'`,
  },
  {
    table: 'calendar_flows',
    outbox: endedCalendarFlows,
    keptMs: dayMs,
    columns: `state_hash, flow_id, browser_hash, started_by, intent, secrets_sealed, created_at,
      expires_at`,
    values: `sha256(name::bytea), name, 'x', '{}', 'routing', 'x', at, at`,
  },
  {
    table: 'calendar_answers',
    outbox: oldCalendarAnswers,
    keptMs: dayMs,
    columns: 'flow_id, intent, created_by, answer_sealed, created_at',
    values: `name, 'routing', 'x', 'x', at`,
  },
  {
    table: 'face_marks',
    outbox: endedFaceMarks,
    keptMs: 0,
    columns: 'mark, link_session_id, expires_at',
    values: `sha256(name::bytea), 'tc_none', at`,
  },
];

describe.each(kinds)('old $table', ({ table, outbox, keptMs, columns, values }) => {
  const add = (count: number, ageMs: number) =>
    db.query(
      `INSERT INTO ${table} (${columns})
       SELECT ${values} FROM generate_series(1, $1::int) n,
         LATERAL (SELECT $2 || ' ' || n AS name, $3::timestamptz AS at) row`,
      [count, String(ageMs), new Date(now.getTime() - ageMs)],
    );
  const left = async (): Promise<number> =>
    (await db.query(`SELECT 1 FROM ${table}`)).rowCount ?? -1;

  it('are all removed by the sweep, and newer rows stay', async () => {
    await add(2_300, keptMs + 1_000);
    await add(2, keptMs - 1_000);
    await add(1, -minuteMs);
    await outbox({ db, clock: () => now }).drain(signal);
    expect(await left()).toBe(3);
  });

  it('are removed in batches of a thousand, so that shutdown waits for one batch only', async () => {
    await db.query(`TRUNCATE ${table}`);
    await add(2_300, keptMs + 1_000);
    const end = new AbortController();
    const ending = new Proxy(db, {
      get: (on, name) =>
        name === 'query' ? (end.abort(), on.query.bind(on)) : Reflect.get(on, name),
    });
    await outbox({ db: ending, clock: () => now }).drain(end.signal);
    expect(await left()).toBe(1_300);
    await Promise.all([outbox, outbox].map((each) => each({ db, clock: () => now }).drain(signal)));
    expect(await left()).toBe(0);
  });
});

describe('an expired photo', () => {
  const add = (name: string, endsMs: number, count = 1) =>
    db.query(
      `INSERT INTO photos (object_path, link_session_id, object_key, content_type, created_at,
         expires_at)
       SELECT $1 || n, 'tc_none', 'photos/' || $1 || n, 'image/png', $2, $2
       FROM generate_series(1, $3::int) n`,
      [name, new Date(now.getTime() + endsMs), count],
    );
  const left = async (): Promise<string[]> => {
    const { rows } = await db.query<{ path: string }>(
      'SELECT object_path AS path FROM photos ORDER BY 1',
    );
    return rows.map(({ path }) => path);
  };

  it('is removed after its image, together with all other expired photos', async () => {
    await add('old', -1, 120);
    await add('new', 1);
    const removed = new Set<string>();
    const store = {
      async remove(key: string) {
        // A crash in between leaves a row, so that the next sweep finds the image.
        expect(await left()).toContain(key.slice('photos/'.length));
        removed.add(key);
      },
    };
    await expiredPhotos({ db, kept: { store }, clock: () => now }).drain(signal);
    expect([removed.size, await left()]).toEqual([120, ['new1']]);
  });

  it('stays while its image cannot be removed, and does not block others', async () => {
    await db.query('TRUNCATE photos');
    await add('old', -1, 3);
    const away = new Error('away');
    let isAway = true;
    const store = {
      async remove(key: string) {
        if (isAway && key === 'photos/old2') throw away;
      },
    };
    const outbox = expiredPhotos({ db, kept: { store }, clock: () => now });
    await expect(outbox.drain(signal)).rejects.toThrow('away');
    expect(await left()).toEqual(['old2']);
    isAway = false;
    await outbox.drain(signal);
    expect(await left()).toEqual([]);
  });
});
