import { readFile } from 'node:fs/promises';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Db } from '../../db/client.ts';
import { randomIds } from '../../db/ids.ts';
import { addAccount } from '../../db/queries/seeding.ts';
import { expiredLinks } from '../../workers/expired-links.ts';
import { createDatabase } from '../harness.ts';
import { ownPlatform } from '../own-platform.ts';

const migration = new URL('../../db/migrations/0023_redacted_before.sql', import.meta.url);
let db: Db;
let drop: () => Promise<void>;

const links = [
  { id: 'free', status: 'active', single: true },
  { id: 'held', status: 'reserved', single: true },
  { id: 'used', status: 'consumed', single: true },
  { id: 'shared', status: 'active', single: false },
  { id: 'whole', status: 'active', single: true },
];
/** Each has something of a person wherever an earlier version could leave it. */
const sessions = [
  { id: 'free-1', link: 'free', status: 'canceled', redacted: true },
  { id: 'free-2', link: 'free', status: 'canceled', redacted: false },
  { id: 'held-1', link: 'held', status: 'canceled', redacted: true },
  { id: 'held-2', link: 'held', status: 'collecting', redacted: false },
  { id: 'shared-1', link: 'shared', status: 'passed', redacted: true },
  { id: 'shared-2', link: 'shared', status: 'passed', redacted: false },
  { id: 'used-1', link: 'used', status: 'passed', redacted: true },
  { id: 'whole-1', link: 'whole', status: 'canceled', redacted: false },
];
const redacted = ['free-1', 'held-1', 'shared-1', 'used-1'];
const others = ['free-2', 'held-2', 'shared-2', 'whole-1'];

beforeAll(async () => {
  ({ db, drop } = await createDatabase(ownPlatform().databaseUrl));
  await plant();
  await db.query(await readFile(migration, 'utf8'));
});
afterAll(() => drop());

async function plant(): Promise<void> {
  const [made] = await addAccount(db, ['Example account', true, new Date()]);
  await db.query(
    `INSERT INTO apps (app_id, account_id, name, kind, allowed_origins, default_proofs, tos_version,
       created_at) VALUES ('example-app', $1, 'Example app', 'sdk', '{}', '{}', '1', now())`,
    [made?.account_id],
  );
  await db.query(
    `INSERT INTO links (link_uuid, app_id, account_id, link_type, status, single_use, emailed,
       livemode, max_attempts, required_proofs, requested_claims, matching_sealed, recipient_sealed,
       policy, created_by, created_at, updated_at)
     SELECT id, 'example-app', $1, 'trust_check', status, single, true, true, 3,
       '{phone}', '{}', '\\x01', '\\x02', '{}', 'key', now(), now()
     FROM jsonb_to_recordset($2) AS l (id text, status text, single boolean)`,
    [made?.account_id, JSON.stringify(links)],
  );
  await db.query(
    `INSERT INTO trust_checks (link_session_id, link_uuid, app_id, account_id, client, status,
       proofs, matching, livemode, asked, created_at, redacted_at, return_to, begun_from,
       matching_sealed)
     SELECT id, link, 'example-app', $1, 'web', status, '[]', '{}', true, '{}',
       now(), CASE WHEN redacted THEN now() END, 'https://redirect.example/', '192.0.2.1', '\\x01'
     FROM jsonb_to_recordset($2) AS t (id text, link text, status text, redacted boolean)`,
    [made?.account_id, JSON.stringify(sessions)],
  );
  const verdict = { checks: [{ name: 'expiry', result: 'failed', detail: '1974-08-12' }] };
  const verdicts = [verdict, { checks: null }, {}, null].map((each) => JSON.stringify(each));
  await db.query(
    `INSERT INTO proof_submissions (submission_id, link_session_id, proof, verdict, input_sealed,
       evidence_sealed, created_at)
     SELECT link_session_id || nr, link_session_id, 'phone', nullif(verdict, 'null'), '\\x03',
       '\\x04', now()
     FROM trust_checks, unnest($1::jsonb[]) WITH ORDINALITY AS v (verdict, nr)`,
    [verdicts],
  );
  for (const text of rowsOfEach) await db.query(text);
}

const rowsOfEach = [
  `INSERT INTO evidence (evidence_id, link_session_id, name, sha256, size_bytes, content_type,
     object_key, created_at)
   SELECT 'ev-' || link_session_id, link_session_id, 'chosen', 'x', 1, 'image/png', 'x', now()
   FROM trust_checks`,
  `INSERT INTO phone_codes (link_session_id, series, number_sealed, number_blind, sends, sent_at,
     expires_at) SELECT link_session_id, 1, '\\x05', '\\x06', 1, now(), now() FROM trust_checks`,
  `INSERT INTO reviews (review_id, link_session_id, decision, reviewer, note_sealed, created_at,
     decided_at)
   SELECT link_session_id || coalesce(at, ''), link_session_id, 'approve', 'key', '\\x07', now(),
     at::timestamptz
   FROM trust_checks, unnest('{2026-01-01,null}'::text[]) at`,
  `INSERT INTO affidavits (affidavit_id, link_session_id, account_id, app_id, status,
     content_sealed, created_at)
   SELECT link_session_id, link_session_id, account_id, app_id, 'available', '\\x08', now()
   FROM trust_checks`,
  `INSERT INTO outbox_messages (id, channel, recipient, text, idempotency_key, created_at)
   SELECT link_session_id, 'sms'::outbox_channel, 'x', 'x', 'sms-code/' || link_session_id || '/1/1',
     now() FROM trust_checks
   UNION ALL SELECT link_uuid, 'mail', 'x', 'x', 'link-invite/' || link_uuid, now() FROM links`,
];

/** The first column of what a query gives, in order. */
async function listOf(text: string): Promise<string[]> {
  const { rows } = await db.query<Record<string, string>>(text);
  return rows.map((row) => String(Object.values(row)[0])).toSorted((a, b) => (a < b ? -1 : 1));
}

describe('what was left of sessions that were redacted before', () => {
  it('is removed, and nothing of the others', async () => {
    const where: Readonly<Record<string, string>> = {
      trust_checks: 'return_to IS NOT NULL OR begun_from IS NOT NULL',
      proof_submissions: 'input_sealed IS NOT NULL OR evidence_sealed IS NOT NULL',
      evidence: `name <> evidence_id`,
      phone_codes: 'true',
      affidavits: 'content_sealed IS NOT NULL',
      reviews: 'note_sealed IS NOT NULL OR decided_at IS NULL',
    };
    for (const [table, left] of Object.entries(where)) {
      const found = await listOf(`SELECT DISTINCT link_session_id FROM ${table} WHERE ${left}`);
      expect([table, found]).toEqual([table, others]);
    }
    const messages = await listOf('SELECT id FROM outbox_messages');
    expect(messages).toEqual([...others, 'shared', 'whole'].toSorted());
  });

  it('leaves of checks their names and results, of reviews that they were decided', async () => {
    const { rows } = await db.query(
      `SELECT DISTINCT verdict FROM proof_submissions WHERE link_session_id = ANY ($1)
         AND verdict->'checks' <> '[]'`,
      [redacted],
    );
    expect(rows).toEqual([{ verdict: { checks: [{ name: 'expiry', result: 'failed' }] } }]);
    const unjudged = await db.query('SELECT 1 FROM proof_submissions WHERE verdict IS NULL');
    expect(unjudged.rows).toHaveLength(sessions.length);
    const kept = await listOf(`SELECT link_session_id FROM proof_submissions
      WHERE verdict->'checks'->0 ? 'detail'`);
    expect(kept).toEqual(others);
    const decided = await listOf(
      'SELECT link_session_id FROM reviews WHERE decided_at IS NOT NULL',
    );
    expect(decided).toEqual([...redacted, ...others].toSorted());
  });

  it('leaves what is expected to a check that runs, and to links that are not theirs', async () => {
    expect(
      await listOf('SELECT link_session_id FROM trust_checks WHERE matching_sealed IS NOT NULL'),
    ).toEqual(['held-2', 'shared-2', 'whole-1']);
    const whole = ['shared', 'whole'];
    expect(await listOf('SELECT link_uuid FROM links WHERE matching_sealed IS NOT NULL')).toEqual(
      whole,
    );
    expect(await listOf('SELECT link_uuid FROM links WHERE recipient_sealed IS NOT NULL')).toEqual(
      whole,
    );
  });

  it('ends their links where these could be used again, which the workers tell', async () => {
    const ended = `SELECT link_uuid FROM links WHERE expires_at <= now()`;
    expect(await listOf(ended)).toEqual(['free', 'held']);
    const clock = () => new Date();
    const outbox = expiredLinks({ db, ids: randomIds, clock, log: pino({ enabled: false }) });
    const { signal } = new AbortController();
    await outbox.drain(signal);
    // The check that runs on it leaves it active.
    await db.query(`UPDATE links SET status = 'active' WHERE link_uuid = 'held'`);
    await outbox.drain(signal);
    expect(await listOf(`SELECT link_uuid FROM links WHERE status = 'expired'`)).toEqual([
      'free',
      'held',
    ]);
    expect(await listOf(`SELECT object_id FROM events WHERE type = 'link.expired'`)).toEqual([
      'free',
      'held',
    ]);
  });

  it('finds nothing the second time', async () => {
    const versions = 'SELECT link_uuid || version FROM links';
    const before = await listOf(versions);
    await db.query(await readFile(migration, 'utf8'));
    expect(await listOf(versions)).toEqual(before);
  });
});
