import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Db } from '../../db/client.ts';
import { addAccount } from '../../db/queries/seeding.ts';
import { createDatabase } from '../harness.ts';
import { ownPlatform } from '../own-platform.ts';
import { migrateBefore } from './migrated-before.ts';

const migration = new URL('../../db/migrations/0019_asked.sql', import.meta.url);
let db: Db;
let drop: () => Promise<void>;

beforeAll(async () => {
  ({ db, drop } = await createDatabase(ownPlatform().databaseUrl, (url) =>
    migrateBefore(url, '0019_asked'),
  ));
});
afterAll(() => drop());

it('sessions that were begun before are given what their link asks', async () => {
  const [made] = await addAccount(db, ['Example account', true, new Date()]);
  const account = made?.account_id;
  await db.query(
    `INSERT INTO apps (app_id, account_id, name, kind, allowed_origins, default_proofs, tos_version,
       created_at) VALUES ('example-app', $1, 'Example app', 'sdk', '{}', '{}', '1', now())`,
    [account],
  );
  await db.query(
    `INSERT INTO links (link_uuid, app_id, account_id, link_type, title, status, single_use, emailed,
       livemode, max_attempts, required_proofs, requested_claims, matching_sealed, policy, metadata,
       created_by, created_at, updated_at)
     VALUES ('link', 'example-app', $1, 'trust_check', 'A purpose', 'active', false, false, true, 3,
       '{phone}', '{full_name}', '\\x01', '{"min_level": "low"}', '{}', 'key', now(), now())`,
    [account],
  );
  await db.query(
    `INSERT INTO trust_checks (link_session_id, link_uuid, app_id, account_id, client, status,
       proofs, matching, livemode, created_at)
     SELECT status, 'link', 'example-app', $1, 'web', status::trust_check_state, '[]', '{}', true,
       now() FROM unnest('{collecting,passed}'::text[]) status`,
    [account],
  );
  await db.query(await readFile(migration, 'utf8'));
  const asked = {
    policy: { min_level: 'low' },
    requested_claims: ['full_name'],
    max_attempts: 3,
    title: 'A purpose',
    link_type: 'trust_check',
    redirect_url: null,
    app_name: 'Example app',
    account_name: 'Example account',
  };
  const { rows } = await db.query(
    'SELECT status::text, asked, matching_sealed FROM trust_checks ORDER BY status',
  );
  // What is decided is held against nothing any more.
  expect(rows).toEqual([
    { status: 'collecting', asked, matching_sealed: Buffer.from([1]) },
    { status: 'passed', asked, matching_sealed: null },
  ]);
});
