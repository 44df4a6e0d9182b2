import type { TrustCheckRow } from '../../db/queries/trust-checks.ts';
import * as attributes from '../../workflows/search-attributes.ts';
import { taskQueues } from '../../workflows/task-queues.ts';
import {
  trustCheckWorkflowId,
  type TrustCheckInput,
  type TrustCheckTimers,
} from '../../workflows/trust-check/messages.ts';

/** Columns of a session that its workflow needs. */
export type StartedCheck = Pick<
  TrustCheckRow,
  'link_session_id' | 'link_uuid' | 'app_id' | 'account_id' | 'client' | 'proofs' | 'asked'
>;

/** Limits for a session that is unopened, idle, or open at all. */
export const usualTimers: TrustCheckTimers = {
  unopenedMs: 72 * 3600_000,
  idleMs: 30 * 60_000,
  hardMs: 24 * 3600_000,
};

/**
 * Returns the start options of a session's workflow. A running one is used, and an ended one never
 * starts again.
 * @param requestId id of the request that begins the session; null without one
 */
export function startOf(session: StartedCheck, timers: TrustCheckTimers, requestId: string | null) {
  const proofs = session.proofs.map(({ type }) => type);
  const input: TrustCheckInput = {
    link_session_id: session.link_session_id,
    account_id: session.account_id,
    proofs,
    attempts_max: session.asked.max_attempts,
    timers,
  };
  return {
    workflowId: trustCheckWorkflowId(session.link_session_id),
    taskQueue: taskQueues.core,
    workflowIdReusePolicy: 'REJECT_DUPLICATE' as const,
    workflowIdConflictPolicy: 'USE_EXISTING' as const,
    staticSummary: `Trust check: ${proofs.join(', ')}; account ${session.account_id}`,
    staticDetails: 'A person proves who they are, from opening a link to a signed record.',
    typedSearchAttributes: [
      { key: attributes.flowKindKey, value: 'trustCheck' },
      { key: attributes.accountIdKey, value: String(session.account_id) },
      { key: attributes.appIdKey, value: session.app_id },
      { key: attributes.linkUuidKey, value: session.link_uuid },
      { key: attributes.platformKey, value: session.client },
      { key: attributes.proofTypesKey, value: proofs },
      ...(requestId === null ? [] : [{ key: attributes.requestIdKey, value: requestId }]),
    ],
    args: [input],
  };
}
