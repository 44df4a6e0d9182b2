import type { MemberMailRow } from '../../../db/queries/member-mails.ts';
import {
  memberInvitationWorkflowId,
  type MemberInvitationInput,
} from '../../../workflows/member-invitation/messages.ts';
import * as attributes from '../../../workflows/search-attributes.ts';
import { taskQueues } from '../../../workflows/task-queues.ts';
import { fairnessKeyOf } from '../../delivery/mail/fairness-key.ts';

/** Returns the start options of an invitation mail's workflow. It runs once, so it mails once. */
export function startOfMemberInvitation({
  mail_id,
  account_id,
}: Pick<MemberMailRow, 'mail_id' | 'account_id'>) {
  const input: MemberInvitationInput = { mail_id };
  return {
    workflowId: memberInvitationWorkflowId(mail_id),
    taskQueue: taskQueues.core,
    workflowIdReusePolicy: 'REJECT_DUPLICATE' as const,
    args: [input] as [MemberInvitationInput],
    priority: { fairnessKey: fairnessKeyOf('account', String(account_id)) },
    staticSummary: `A member is invited by mail; account ${account_id}`,
    typedSearchAttributes: [
      { key: attributes.flowKindKey, value: 'memberInvitation' },
      { key: attributes.accountIdKey, value: String(account_id) },
    ],
  };
}
