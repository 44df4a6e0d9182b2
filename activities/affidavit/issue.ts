import type { AffidavitDeps } from './activities.ts';
import type { IssuedAffidavit } from '../../workflows/issue-affidavit/messages.ts';
export async function issueAffidavit(_deps: AffidavitDeps, affidavitId: string): Promise<IssuedAffidavit> {
  throw new Error(`soon ${affidavitId}`);
}
