import { expect, it } from 'vitest';
import { migrate } from '../../db/migrate.ts';
import { findUnnamedHost } from '../../db/queries/meeting-participants.ts';
import { createDatabase } from '../harness.ts';
import { ownPlatform } from '../own-platform.ts';
import { fillLogs } from './fill-logs.ts';
import { migrateBefore } from './migrated-before.ts';

it('a host whom a program brought in before is found again by that program alone', async () => {
  const { db, url, drop } = await createDatabase(ownPlatform().databaseUrl, (empty) =>
    migrateBefore(empty, '0041_live-sessions'),
  );
  await fillLogs(db, { rows: 2, accounts: 1 });
  await db.query(
    `INSERT INTO meeting_participants (participant_id, meeting_key, account_id, poly_user_id, role,
       join_session_id, status, verification, occurred_at, created_at)
     SELECT id, meeting_key, account_id, person, role::participant_role, joined, 'invited',
       'unverified', occurred_at, created_at
     FROM meetings, (VALUES ('pt_host', NULL, 'host', NULL), ('pt_named', 'pu_named', 'host', NULL),
       ('pt_joined', NULL, 'host', 'js_1'), ('pt_unknown', NULL, 'participant', NULL))
       AS four (id, person, role, joined)`,
  );
  await migrate(url);
  const { rows } = await db.query<{ meeting_key: string }>('SELECT meeting_key FROM meetings');
  const key = rows[0]?.meeting_key ?? '';
  expect(await findUnnamedHost(db, key, 'key')).toMatchObject({ participant_id: 'pt_host' });
  expect(await findUnnamedHost(db, key, 'another')).toBeNull();
  const given = `SELECT participant_id, created_by FROM meeting_participants
    WHERE created_by IS NOT NULL`;
  expect((await db.query(given)).rows).toEqual([{ participant_id: 'pt_host', created_by: 'key' }]);
  await drop();
});
