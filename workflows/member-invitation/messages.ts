/** What the mail of an invitation is followed with: its address lies sealed in the store. */
export interface MemberInvitationInput {
  readonly mail_id: string;
}

/** How the mail of an invitation has ended; `dropped`: its address is not to have it. */
export const memberMailOutcomes = ['sent', 'dropped', 'failed'] as const;
export type MemberMailOutcome = (typeof memberMailOutcomes)[number];

export interface MemberMailed {
  readonly status: MemberMailOutcome;
}

/** The id of the workflow that mails an invitation. */
export const memberInvitationWorkflowId = (mailId: string): string => `member-invite/${mailId}`;
