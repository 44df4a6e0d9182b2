import { projectSnapshot } from '../../../activities/trust-checks/project.ts';
import { openDb } from '../../../db/client.ts';
import { randomIds } from '../../../db/ids.ts';
import * as rules from '../../../workflows/trust-check/session.ts';
import type { TrustCheckInput } from '../../../workflows/trust-check/messages.ts';
import { changeSteadily, type ChangeRequest } from '../changes.ts';
import { answerParent, setting } from '../child.ts';

/**
 * The candidate of P4: sessions changed by their own rules and projected as the API and the worker
 * do, each change one transaction with its event, in a process that is not the one with the sockets.
 */
const deps = {
  db: openDb(
    { url: setting('DATABASE_URL'), connectionsMax: 10, applicationName: 'trustcheck-bench' },
    () => undefined,
  ),
  ids: randomIds,
  clock: () => new Date(),
};
const sessions = new Map<string, rules.TrustCheckSession>();
const wrong = {
  outcome: 'rejected',
  reason_code: 'code_wrong',
  retryable: true,
  provider: null,
  evidence_hash: null,
} as const;

/** Brings a session to where its proofs are collected: what a change of state can start from. */
async function begin(input: TrustCheckInput): Promise<void> {
  const now = Date.now();
  const opened = rules.move(rules.newSession(input, now), 'open', now);
  const paired = rules.pairDevice(opened, { device_id: null, poly_user_id: null }, now);
  const consent = { accepted: true, tos_version: '1', claims: [] };
  await project(input.link_session_id, rules.giveConsent(paired, consent, now));
}

/** One more code that was wrong: the smallest change of a session there is. */
async function make(sessionId: string): Promise<number> {
  const session = sessions.get(sessionId);
  if (!session) throw new Error(`no session ${sessionId}`);
  const now = Date.now();
  const tried = rules.beginAttempt(session, 'phone', now);
  return project(sessionId, rules.settleAttempt(tried, 'phone', wrong, now));
}

async function project(sessionId: string, next: rules.TrustCheckSession): Promise<number> {
  sessions.set(sessionId, next);
  const row = await projectSnapshot(deps, next.snapshot);
  return row.version;
}

type Request = ChangeRequest | { readonly begin: readonly TrustCheckInput[] };

answerParent(0, async (request: Request) => {
  if (!('begin' in request)) return changeSteadily(request, make);
  for (const input of request.begin) await begin(input);
  return request.begin.length;
});
