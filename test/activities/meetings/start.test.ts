import { afterAll, expect, it } from 'vitest';
import { startOfMeeting } from '../../../activities/meetings/start.ts';
import { findNewestMeeting } from '../../../db/queries/meetings.ts';
import { newMeetingLink, started } from '../../support/people/meetings.ts';
import { openTestDb } from '../../support/platform/harness.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';

const db = openTestDb(ownPlatform().databaseUrl);
afterAll(() => db.end());

it.each([-48, 48])(
  'a meeting planned %i hours away is expected from that time or its creation',
  async (hours) => {
    const link = await newMeetingLink();
    const planned = new Date(Date.now() + hours * 3600_000);
    await started(link, { role: 'participant', scheduled_at: planned.toISOString() });
    const meeting = await findNewestMeeting(db, link);
    if (!meeting) throw new Error('no meeting');
    const [{ expected_at }] = startOfMeeting(meeting).args;
    expect(expected_at).toBe((hours < 0 ? meeting.created_at : planned).toISOString());
  },
);
