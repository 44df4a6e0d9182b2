import type { Client } from '@temporalio/client';
import { projectSnapshot } from '../activities/trust-checks/project.ts';
import type { Db } from '../db/client.ts';
import { randomIds } from '../db/ids.ts';
import {
  snapshotQuery,
  trustCheckWorkflowId,
  type TrustCheckSnapshot,
} from '../workflows/trust-check/messages.ts';
import * as rules from '../workflows/trust-check/session.ts';
import type { Session } from './client.ts';
import { ownPlatform } from './own-platform.ts';

export type Step = (session: rules.TrustCheckSession) => rules.TrustCheckSession;

/** What the session's workflow would say after further steps. */
export async function afterSteps(
  client: Client,
  { id }: Session,
  ...steps: readonly Step[]
): Promise<TrustCheckSnapshot> {
  const known = await client.workflow.getHandle(trustCheckWorkflowId(id)).query(snapshotQuery);
  const input = {
    link_session_id: id,
    account_id: ownPlatform().own.account_id,
    proofs: ['phone'] as const,
    attempts_max: 3,
    review_on_unsure: true,
    timers: { unopenedMs: 1, idleMs: 1, hardMs: 1 },
  };
  const start = rules.adopt(rules.newSession(input, Date.now()), known);
  return steps.reduce((current, step) => step(current), start).snapshot;
}

/**
 * Puts steps on record that the session's workflow does not know, by the code that does so in a
 * workflow task that is lost.
 */
export async function loseSteps(
  { db, client }: { readonly db: Db; readonly client: Client },
  session: Session,
  ...steps: readonly Step[]
): Promise<TrustCheckSnapshot> {
  const snapshot = await afterSteps(client, session, ...steps);
  await projectSnapshot({ db, ids: randomIds, clock: () => new Date() }, snapshot);
  return snapshot;
}
