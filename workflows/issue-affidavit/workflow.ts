import { setCurrentDetails } from '@temporalio/workflow';
import { proxyAffidavit } from '../proxies.ts';
import type { IssueAffidavitInput, IssuedAffidavit } from './messages.ts';

const { issueAffidavit: issue } = proxyAffidavit();

/**
 * Issues the one affidavit of a decided check. Every step of the activity can be repeated: the
 * content was frozen with the decision, and the object store takes one file under its key.
 */
export async function issueAffidavit(input: IssueAffidavitInput): Promise<IssuedAffidavit> {
  const subject = `affidavit of \`trust-check/${input.link_session_id}\``;
  setCurrentDetails(`**signing** the ${subject}`);
  const issued = await issue({ affidavit_id: input.affidavit_id });
  setCurrentDetails(
    `**available**: the ${subject}, sealed as ${issued.pades_level}, sha256 \`${issued.sha256}\``,
  );
  return issued;
}
