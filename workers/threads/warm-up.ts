import { renderReport } from '../../activities/meetings/report/report-pages.ts';

const nothing = { end_reason: null, scheduled_at: null, started_at: null, ended_at: null };

/** Role of a thread: it makes and verifies documents, or reads photographs and faces. */
export type ThreadRole = 'maker' | 'reader';

export async function warmUp(role: ThreadRole): Promise<void> {
  if (role === 'maker') return layOutPage();
  const { warmReaders } = await import('../../activities/proofs/warm-readers.ts');
  return warmReaders();
}

/** Loads fonts and libraries, and lays out a page that is thrown away. */
async function layOutPage(): Promise<void> {
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
