import { isCancellation, setCurrentDetails } from '@temporalio/workflow';
import { proxyMemberInvitation, proxyMemberInvitationEnd } from '../proxies.ts';
import type { MemberInvitationInput, MemberMailed } from './messages.ts';

const { sendMemberInvitation } = proxyMemberInvitation();
const { closeMemberInvitation } = proxyMemberInvitationEnd();

/** Mails an invitation to an account. A mail that cannot be sent in time is deleted. */
export async function memberInvitation(input: MemberInvitationInput): Promise<MemberMailed> {
  setCurrentDetails('**queued**: the message is handed to the mail provider');
  const mailed = await sendMemberInvitation(input).catch((error: unknown) => {
    if (isCancellation(error)) throw error;
    return null;
  });
  if (!mailed) await closeMemberInvitation(input);
  const outcome = mailed ?? { status: 'failed' as const };
  setCurrentDetails(`**${outcome.status}**`);
  return outcome;
}
