import { isCancellation, setCurrentDetails } from '@temporalio/workflow';
import { proxyMeetingReport } from '../proxies.ts';
import type { MeetingReportInput } from './messages.ts';

const { makeMeetingReport, failMeetingReport } = proxyMeetingReport();

export interface MeetingReportOutcome {
  readonly status: 'available' | 'failed';
}

/** Renders the report of a meeting that is over. A failed report can be requested again. */
export async function meetingReport(input: MeetingReportInput): Promise<MeetingReportOutcome> {
  try {
    const { sha256 } = await makeMeetingReport({ report_id: input.report_id });
    setCurrentDetails(`**available**, sha256 \`${sha256}\``);
    return { status: 'available' };
  } catch (error) {
    if (isCancellation(error)) throw error;
    await failMeetingReport({ report_id: input.report_id });
    setCurrentDetails('**failed**');
    return { status: 'failed' };
  }
}
