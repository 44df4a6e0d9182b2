import type { EmailRequestRow } from '../../../db/queries/email-requests.ts';
import {
  emailAttachWorkflowId,
  emailLoginWorkflowId,
  type EmailFlowInput,
} from '../../../workflows/email-login/messages.ts';
import * as attributes from '../../../workflows/search-attributes.ts';
import { taskQueues } from '../../../workflows/task-queues.ts';
import { fairnessKeyOf } from '../../delivery/mail/fairness-key.ts';

const usualFlow: EmailFlowInput = { windowMs: 15 * 60_000, sendsMax: 3 };
const digestHexLength = 32;

type FollowedRequest = Pick<
  EmailRequestRow,
  'purpose' | 'poly_user_id' | 'address_blind' | 'network_blind'
>;

const digestOf = (blind: Buffer): string => blind.toString('hex').slice(0, digestHexLength);

/**
 * Returns the type and id of the workflow for a request. The id has keyed digests of 128 bits.
 * Logins requested from one network do not use up the window of another.
 */
export function emailFlowOf(request: FollowedRequest): {
  type: 'emailLogin' | 'emailAttach';
  workflowId: string;
} {
  const digest = digestOf(request.address_blind);
  const network = request.network_blind && digestOf(request.network_blind);
  return request.purpose === 'login'
    ? { type: 'emailLogin', workflowId: emailLoginWorkflowId(digest, network) }
    : {
        type: 'emailAttach',
        workflowId: emailAttachWorkflowId(request.poly_user_id ?? '', digest),
      };
}

/** Returns the start options of that workflow. A running one is used; an ended one starts again. */
export function startOfEmailFlow(request: FollowedRequest, input: EmailFlowInput = usualFlow) {
  const { type, workflowId } = emailFlowOf(request);
  const sender = request.poly_user_id ?? (request.network_blind && digestOf(request.network_blind));
  return {
    workflowId,
    taskQueue: taskQueues.core,
    workflowIdReusePolicy: 'ALLOW_DUPLICATE' as const,
    workflowIdConflictPolicy: 'USE_EXISTING' as const,
    args: [input],
    priority: { fairnessKey: fairnessKeyOf(request.purpose, sender ?? 'unknown') },
    staticSummary: request.purpose === 'login' ? 'Login by mail' : 'An address is attached by mail',
    typedSearchAttributes: [{ key: attributes.flowKindKey, value: type }],
  };
}
