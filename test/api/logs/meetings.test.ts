import { expect, it } from 'vitest';
import { call } from '../../support/http/client.ts';
import { newMeetingLink, play, started } from '../../support/people/meetings.ts';
import { eventually } from '../../support/platform/harness.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';

const { own } = ownPlatform();

it('a started meeting is in the logs of its account with the names of its people', async () => {
  const topic = `Logged ${process.pid} ${Date.now()}`;
  const link = await newMeetingLink({ topic });
  const meeting = await started(link, { role: 'host', display_name: 'Specimen Hostess' });
  await play(meeting, { kind: 'joined', display_name: 'Exemplar Guest' });
  const at = `/v2/logs/account/${own.account_id}?log_types=meeting&search=`;
  const rowsOf = async (search: string): Promise<Record<string, unknown>[]> => {
    const found = await call('GET', at + encodeURIComponent(search), { token: own.api_key });
    return found.body['items'] as Record<string, unknown>[];
  };
  const row = await eventually('the guest', async () => {
    const [found] = await rowsOf(topic);
    return found?.['user_name'] && found;
  });
  expect(row).toMatchObject({
    source: 'meeting',
    livemode: false,
    meeting_id: meeting.meeting_id,
    title: topic,
    platform: 'sandbox',
    host_name: 'Specimen Hostess',
    user_name: 'Exemplar Guest',
    link_uuid: link,
  });
  for (const name of ['hostess', 'exem gue']) {
    const ids = (await rowsOf(name)).map((found) => found['meeting_id']);
    expect(ids, name).toContain(meeting.meeting_id);
  }
});
