export interface MeetingReportInput {
  readonly report_id: string;
}

export const meetingReportWorkflowId = (reportId: string): string => `meeting-report/${reportId}`;
