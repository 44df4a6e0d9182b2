import { takeStep } from '../../../../activities/trust-checks/take-step.ts';
import { openDb } from '../../../../db/client.ts';
import { randomIds } from '../../../../db/ids.ts';
import type { TrustCheckInput } from '../../../../workflows/trust-check/messages.ts';
import type { TrustCheckStep } from '../../../../workflows/trust-check/steps.ts';
import { changeSteadily, type ChangeRequest } from '../http/changes.ts';
import { answerParent, setting } from '../measure/child.ts';

/**
 * The candidate of P4: changes sessions as the worker does, each step in one transaction with its
 * event, in a process separate from the one with the sockets.
 */
const deps = {
  db: openDb(
    { url: setting('DATABASE_URL'), connectionsMax: 10, applicationName: 'trustcheck-bench' },
    () => undefined,
  ),
  ids: randomIds,
  clock: () => new Date(),
};
const wrong = {
  outcome: 'rejected',
  reason_code: 'code_wrong',
  retryable: true,
  provider: null,
  evidence_hash: null,
} as const;

async function take(link_session_id: string, step: TrustCheckStep): Promise<number> {
  const { snapshot, refusal } = await takeStep(deps, {
    link_session_id,
    step_id: randomIds.uuid(),
    step,
  });
  if (refusal) throw new Error(refusal.detail);
  return snapshot.version;
}

/** Moves a session to the state in which its proofs are collected, where changes can start. */
async function begin({ link_session_id: id }: TrustCheckInput): Promise<void> {
  await take(id, { kind: 'open' });
  await take(id, { kind: 'pair', device_id: null, poly_user_id: null });
  await take(id, { kind: 'consent', accepted: true, tos_version: '1', claims: [] });
}

/** Counts one more wrong code, which is the smallest change of a session. */
const make = (sessionId: string): Promise<number> =>
  take(sessionId, {
    kind: 'settle',
    proof: 'phone',
    submission_id: randomIds.make('sub'),
    judgement: wrong,
  });

type Request = ChangeRequest | { readonly begin: readonly TrustCheckInput[] };

answerParent(0, async (request: Request) => {
  if (!('begin' in request)) return changeSteadily(request, make);
  for (const input of request.begin) await begin(input);
  return request.begin.length;
});
