/** Input of the workflow of an invitation mail. Its address is sealed in the database. */
export interface MemberInvitationInput {
  readonly mail_id: string;
}

/** Final state of an invitation mail. `dropped`: the address must not get it. */
export const memberMailOutcomes = ['sent', 'dropped', 'failed'] as const;
export type MemberMailOutcome = (typeof memberMailOutcomes)[number];

export interface MemberMailed {
  readonly status: MemberMailOutcome;
}

export const memberInvitationWorkflowId = (mailId: string): string => `member-invite/${mailId}`;
