import { afterAll, expect, it } from 'vitest';
import { addMembership } from '../../../db/queries/seeding.ts';
import { enrolledPhone } from '../../support/checks/phone.ts';
import { call, done } from '../../support/http/client.ts';
import { goodBundle, portalLogin } from '../../support/keys/bundles.ts';
import { newEmailUser } from '../../support/people/email-users.ts';
import { newMeetingLink } from '../../support/people/meetings.ts';
import { openTestDb } from '../../support/platform/harness.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';

const { databaseUrl, own } = ownPlatform();
const db = openTestDb(databaseUrl);
afterAll(() => db.end());

it('an adoption moves participations, unless the adopter takes part in the same meeting', async () => {
  const user = await newEmailUser(db, { [own.account_id]: ['MEMBER'] });
  const device = await enrolledPhone();
  const person = device.enrolled?.polyUserId ?? '';
  await addMembership(db, [person, own.account_id, ['MEMBER'], new Date()]);
  const start = async (link: string, token: string): Promise<string> => {
    const answer = await done('a start', () =>
      call('POST', `/v2/start/${link}`, { token, body: {} }),
    );
    return String(answer.body['participant_id']);
  };
  const [alone, both] = [await newMeetingLink(), await newMeetingLink()];
  const met = await start(alone, user.token);
  const beside = await start(both, user.token);
  const login = await portalLogin(await goodBundle(device), { account_id: own.account_id });
  const token = String(login.body['session_token']);
  const already = await start(both, token);
  const answer = await call('POST', '/v2/session/step_up', {
    token: user.token,
    body: { raw_jwt: await goodBundle(device) },
  });
  expect([answer.status, answer.body['adopted_poly_user_id']]).toEqual([200, user.polyUserId]);
  const { rows } = await db.query<{ participant_id: string; poly_user_id: string }>(
    `SELECT participant_id, poly_user_id FROM meeting_participants
     WHERE poly_user_id = ANY ($1)`,
    [[user.polyUserId, person]],
  );
  expect(Object.fromEntries(rows.map((row) => [row.participant_id, row.poly_user_id]))).toEqual({
    [met]: person,
    [already]: person,
    [beside]: user.polyUserId,
  });
  const logs = await call('GET', '/v2/logs/me?log_types=meeting', { token });
  const links = (logs.body['items'] as { link_uuid: string }[]).map((row) => row.link_uuid);
  expect(links.toSorted()).toEqual([alone, both].toSorted());
  expect(await start(alone, token)).toBe(met);
});
