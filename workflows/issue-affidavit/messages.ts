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

/** The id of the workflow that issues an affidavit; a second start of it is refused. */
export const affidavitWorkflowId = (affidavitId: string): string => `affidavit/${affidavitId}`;
