export interface IssueAffidavitInput {
  readonly affidavit_id: string;
  readonly link_session_id: string;
  readonly account_id: number;
}

export interface IssuedAffidavit {
  readonly affidavit_id: string;
  readonly sha256: string;
  readonly pades_level: string;
}

/**
 * Returns the id of the workflow that issues an affidavit. Temporal refuses a second start with it.
 */
export const affidavitWorkflowId = (affidavitId: string): string => `affidavit/${affidavitId}`;
