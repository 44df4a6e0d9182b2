import { renderReport } from '../../activities/meetings/report/report-pages.ts';

const nothing = { end_reason: null, scheduled_at: null, started_at: null, ended_at: null };

/** Loads fonts and libraries and lays out a first page, which nobody gets. */
export async function warmUp(): Promise<void> {
  await renderReport({
    report_id: 'warm-up',
    made_at: new Date(0).toISOString(),
    livemode: false,
    development: false,
    account_name: 'Account',
    platform: 'sandbox',
    meeting_id: 'warm-up',
    link_uuid: 'warm-up',
    topic: null,
    organization: null,
    status: 'ended',
    ...nothing,
    tracking: 'ok',
    participants: [],
    timeline: [],
  });
}
