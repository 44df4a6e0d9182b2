import { afterAll, expect, it } from 'vitest';
import { joinSession } from '../../../../api/trust-checks/begin/join-session.ts';
import { randomIds } from '../../../../db/ids.ts';
import { insertJoinSession } from '../../../../db/queries/join-sessions.ts';
import { findTrustCheck } from '../../../../db/queries/trust-checks.ts';
import { beginSession } from '../../../support/http/client.ts';
import { newMeetingLink } from '../../../support/people/meetings.ts';
import { openTestDb } from '../../../support/platform/harness.ts';
import { ownPlatform } from '../../../support/platform/own-platform.ts';

const { own, databaseUrl } = ownPlatform();
const db = openTestDb(databaseUrl);
afterAll(() => db.end());

const roundsMax = 10;

function newJoinSession(link_uuid: string) {
  const now = new Date();
  return insertJoinSession(db, {
    join_session_id: randomIds.make('js'),
    link_uuid,
    account_id: own.account_id,
    participant_id: randomIds.make('pt'),
    display_name_sealed: null,
    platform: 'sandbox',
    client: 'web',
    browser_hash: randomIds.bytes(32),
    nonce_hash: null,
    created_at: now,
    expires_at: new Date(now.getTime() + 60_000),
  });
}

it('a check admits exactly one of fifty concurrent join sessions', async () => {
  const link = await newMeetingLink();
  const { id } = await beginSession(link);
  const check = await findTrustCheck(db, id);
  if (!check) throw new Error('no check');
  for (let round = 0; round < roundsMax; round += 1) {
    const all = await Promise.all(Array.from({ length: 50 }, () => newJoinSession(link)));
    const tried = await Promise.allSettled(
      all.map((session) => joinSession({ db }, check, session, new Date())),
    );
    expect(tried.filter(({ status }) => status === 'fulfilled').length).toBe(1);
    const { rows } = await db.query<{ join_session_id: string }>(
      'SELECT join_session_id FROM join_sessions WHERE link_session_id = $1',
      [id],
    );
    expect(rows).toEqual([{ join_session_id: expect.any(String) }]);
    // Clears the join session, so that the next round starts with none admitted.
    await db.query('UPDATE join_sessions SET link_session_id = NULL WHERE link_session_id = $1', [
      id,
    ]);
  }
});
