import { setCurrentDetails } from '@temporalio/workflow';
import { proxyAffidavit } from '../proxies.ts';

const { issueAffidavit: issue } = proxyAffidavit();

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

/**
 * Issues the one affidavit of a decided check. Every step of the activity can be repeated: the
 * content was frozen with the decision, and the object store takes one file under its key.
 */
export async function issueAffidavit(input: IssueAffidavitInput): Promise<IssuedAffidavit> {
  setCurrentDetails(`**signing** affidavit of session \`${input.link_session_id}\``);
  const issued = await issue({ affidavit_id: input.affidavit_id });
  setCurrentDetails(`**available**, ${issued.pades_level}, sha256 \`${issued.sha256}\``);
  return issued;
}
