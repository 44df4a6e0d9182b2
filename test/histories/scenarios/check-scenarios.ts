import pg from 'pg';
import { taskQueues } from '../../../workflows/task-queues.ts';
import {
  advanceUpdate,
  beginUpdate,
  consentUpdate,
  openUpdate,
  pairUpdate,
  submitProofUpdate,
  type TrustCheckTimers,
} from '../../../workflows/trust-check/messages.ts';
import type { TrustCheckReason, TrustCheckState } from '../../../workflows/trust-check/state.ts';
import { insertUnsure } from '../../support/checks/unsure.ts';
import { eventually } from '../../support/platform/harness.ts';
import { pause, type Scenario, type Stage } from '../scenario.ts';
import { begunCheck, collectingCheck, openedCheck, otherThan, type WebCheck } from '../web-check.ts';

/** Ends of a check other than by its proofs alone. */
export const checkScenarios: readonly Scenario[] = [
  check('retried-proof', retriedProof, 'passed'),
  check('declined', declined, 'declined', 'consent_declined'),
  check('canceled', canceled, 'canceled', 'requester_canceled'),
  check('canceled-unopened', canceledUnopened, 'canceled', 'link_deleted'),
  check('review-approved', (stage) => reviewed(stage, 'approve'), 'passed'),
  check('review-rejected', (stage) => reviewed(stage, 'reject'), 'failed', 'review_rejected'),
  check('review-retried', reviewRetried, 'passed'),
  check('review-canceled', reviewCanceled, 'canceled', 'requester_canceled'),
  check('review-lasting', reviewLasting, 'passed'),
  check('judge-waits', judgeWaits, 'passed'),
  check('expired-unopened', expiredUnopened, 'expired', 'deadline'),
  check('expired-deadline', expiredDeadline, 'expired', 'deadline'),
  check('abandoned', abandoned, 'abandoned', 'idle_timeout'),
  check('advanced', advanced, 'abandoned', 'idle_timeout'),
];

/** Takes the ten minutes after which a judge is given up. */
export const lastingScenarios: readonly Scenario[] = [
  check('provider-unavailable', providerUnavailable, 'passed'),
];

function check(
  scenario: string,
  play: Scenario['play'],
  status: TrustCheckState,
  reason_code: TrustCheckReason | null = null,
): Scenario {
  return { type: 'trustCheck', scenario, play, ends: { status, reason_code } };
}

async function retriedProof(stage: Stage): Promise<string> {
  const check = await collectingCheck(stage);
  const code = await check.code();
  await check.step('proofs/phone', { code: otherThan(code) });
  await check.step('proofs/phone', { code });
  return check.workflowId;
}

async function declined(stage: Stage): Promise<string> {
  const check = await openedCheck(stage);
  await check.step('pair');
  await check.step('consent', { accepted: false, tos_version: '1', claims: [] });
  return check.workflowId;
}

async function canceled(stage: Stage): Promise<string> {
  const check = await collectingCheck(stage);
  await check.step('cancel', {}, stage.facts.own.api_key);
  return check.workflowId;
}

async function canceledUnopened(stage: Stage): Promise<string> {
  const { handle } = await withTimers(stage, {
    unopenedMs: 60_000,
    idleMs: 60_000,
    hardMs: 60_000,
  });
  await handle.executeUpdate('cancel', { args: [{ reason: 'link_deleted' }] });
  return handle.workflowId;
}

/** A check in review: its proof's judgement stands from before, and was unsure. */
async function inReview(stage: Stage): Promise<WebCheck> {
  const check = await collectingCheck(stage);
  await handInUnsure(stage, check);
  return check;
}

async function handInUnsure({ client, facts }: Stage, { id, workflowId }: WebCheck): Promise<void> {
  const submission_id = await insertUnsure(facts.databaseUrl, id);
  const handle = client.workflow.getHandle(workflowId);
  await handle.executeUpdate(submitProofUpdate, { args: [{ proof: 'phone', submission_id }] });
}

const decide = (stage: Stage, check: WebCheck, decision: string) =>
  check.step('review', { decision, note: 'recorded' }, stage.facts.own.admin.session_token);

async function reviewed(stage: Stage, decision: 'approve' | 'reject'): Promise<string> {
  const check = await inReview(stage);
  await decide(stage, check, decision);
  return check.workflowId;
}

async function reviewRetried(stage: Stage): Promise<string> {
  const check = await inReview(stage);
  await decide(stage, check, 'retry');
  await check.step('retry');
  await check.step('proofs/phone', { code: await check.code() });
  return check.workflowId;
}

/** In review for longer than the person would have had. */
async function reviewLasting(stage: Stage): Promise<string> {
  const timers = { unopenedMs: 60_000, idleMs: 3_000, hardMs: 5_000 };
  const { check, handle } = await withTimers(stage, timers);
  await handle.executeUpdate(openUpdate, { args: [{}] });
  await handle.executeUpdate(pairUpdate, { args: [{ device_id: null, poly_user_id: null }] });
  const consent = { accepted: true, tos_version: '1', claims: [] };
  await handle.executeUpdate(consentUpdate, { args: [consent] });
  await handInUnsure(stage, check);
  await pause(7_000);
  await decide(stage, check, 'approve');
  return check.workflowId;
}

async function reviewCanceled(stage: Stage): Promise<string> {
  const check = await inReview(stage);
  await check.step('cancel', {}, stage.facts.own.api_key);
  return check.workflowId;
}

/** Longer than a workflow task may take: its worker asks for more time, and the step is repeated. */
const waitsMs = 12_000;

async function judgeWaits(stage: Stage): Promise<string> {
  const check = await collectingCheck(stage);
  const code = await check.code();
  const client = new pg.Client({ connectionString: stage.facts.databaseUrl });
  await client.connect();
  await client.query('BEGIN');
  await client.query('SELECT 1 FROM phone_codes WHERE link_session_id = $1 FOR UPDATE', [check.id]);
  const held = pause(waitsMs).then(() => client.end());
  await Promise.all([held, check.step('proofs/phone', { code })]);
  return check.workflowId;
}

/** What the judge needs cannot be opened, however often it is tried. */
async function providerUnavailable(stage: Stage): Promise<string> {
  const check = await collectingCheck(stage);
  const code = await check.code();
  await stage.db.query(
    `UPDATE phone_codes SET number_sealed = '\\x00', expires_at = now() + interval '1 hour'
     WHERE link_session_id = $1`,
    [check.id],
  );
  // The submitter has long received the answer to come back.
  await check.step('proofs/phone', { code }).catch(() => undefined);
  const isReviewed = async (): Promise<boolean> => (await check.status()) === 'in_review';
  await eventually('the review', isReviewed, 15 * 60_000);
  await decide(stage, check, 'approve');
  return check.workflowId;
}

/** A session's workflow begun anew, with deadlines that can be waited for. */
async function withTimers(stage: Stage, timers: TrustCheckTimers) {
  const check = await begunCheck(stage);
  const { id, workflowId } = check;
  await stage.client.workflow.getHandle(workflowId).terminate('for other deadlines');
  const input = {
    link_session_id: id,
    account_id: stage.facts.own.account_id,
    proofs: ['phone'],
    attempts_max: 3,
    timers,
  };
  const handle = await stage.client.workflow.start('trustCheck', {
    workflowId,
    taskQueue: taskQueues.core,
    args: [input],
  });
  await handle.executeUpdate(beginUpdate, { args: [{ opened: false }] });
  return { check, handle };
}

async function expiredUnopened(stage: Stage): Promise<string> {
  const { handle } = await withTimers(stage, { unopenedMs: 2_000, idleMs: 500, hardMs: 60_000 });
  await handle.result();
  return handle.workflowId;
}

/** Opened late, after the first timer was set for longer than what is left. */
async function abandoned(stage: Stage): Promise<string> {
  const { handle } = await withTimers(stage, {
    unopenedMs: 60_000,
    idleMs: 3_000,
    hardMs: 60_000,
  });
  await pause(4_000);
  await handle.executeUpdate(openUpdate, { args: [{}] });
  await handle.result();
  return handle.workflowId;
}

/** Its time is let pass: some of it, then the rest. */
async function advanced(stage: Stage): Promise<string> {
  const { workflowId } = await openedCheck(stage);
  const handle = stage.client.workflow.getHandle(workflowId);
  for (const seconds of [1_000, 800]) {
    await handle.executeUpdate(advanceUpdate, { args: [{ seconds }] });
  }
  return workflowId;
}

async function expiredDeadline(stage: Stage): Promise<string> {
  const { handle } = await withTimers(stage, {
    unopenedMs: 60_000,
    idleMs: 5_000,
    hardMs: 4_000,
  });
  await handle.executeUpdate(openUpdate, { args: [{}] });
  await handle.result();
  return handle.workflowId;
}
