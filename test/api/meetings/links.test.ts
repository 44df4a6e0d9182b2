import { afterAll, expect, it } from 'vitest';
import {
  join,
  newMeetingLink,
  play,
  start,
  started,
  verifiedGuest,
} from '../../support/people/meetings.ts';
import { openTestDb } from '../../support/platform/harness.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';

const { databaseUrl } = ownPlatform();
const db = openTestDb(databaseUrl);
afterAll(() => db.end());

it.each([{ single_use: true }, { max_uses: 1 }])(
  'a link %j that was consumed by its guest still leads to its meeting',
  { timeout: 60_000 },
  async (body) => {
    const link = await newMeetingLink({}, body);
    const guest = await verifiedGuest(link);
    const find = 'SELECT status FROM links WHERE link_uuid = $1';
    expect((await db.query(find, [link])).rows).toEqual([{ status: 'consumed' }]);
    const host = await started(link);
    const entered = await started(link, { join_session_id: guest.id });
    expect(entered.meeting_id).toBe(host.meeting_id);
  },
);

it('a link that expires leads into its running meeting, but starts no other', async () => {
  const link = await newMeetingLink();
  const guest = await verifiedGuest(link);
  const host = await started(link);
  const waiting = await newMeetingLink();
  const runOut = `UPDATE links SET expires_at = now() - interval '1 minute'
    WHERE link_uuid = ANY ($1)`;
  await db.query(runOut, [[link, waiting]]);
  expect((await started(link)).participant_id).toBe(host.participant_id);
  expect((await play(host, { kind: 'joined' }, guest.token)).status).toBe(202);
  await expect(join(link)).rejects.toThrow();
  const refused = await start(waiting);
  expect([refused.status, refused.body['code']]).toEqual([409, 'link_not_active']);
});
