export interface MeetingReportInput {
  readonly report_id: string;
}

/** The id of the workflow of a report. */
export const meetingReportWorkflowId = (reportId: string): string => `meeting-report/${reportId}`;
