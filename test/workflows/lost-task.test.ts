import { afterAll, describe, expect, it } from 'vitest';
import { projectAnswer, projectSnapshot } from '../../activities/trust-checks/project.ts';
import { randomIds } from '../../db/ids.ts';
import { writeOutcome } from '../../db/queries/check-outcomes.ts';
import {
  retryUpdate,
  snapshotQuery,
  submitProofUpdate,
  trustCheckWorkflowId,
} from '../../workflows/trust-check/messages.ts';
import * as rules from '../../workflows/trust-check/session.ts';
import {
  call,
  codeFor,
  collecting,
  newLink,
  newNumber,
  type Answer,
  type Session,
} from '../client.ts';
import { openTestDb } from '../harness.ts';
import { afterSteps, loseSteps, type Step } from '../lost-steps.ts';
import { unmatched } from '../outcome.ts';
import { ownPlatform } from '../own-platform.ts';
import { insertSubmission } from '../submission.ts';
import { connectClient } from '../temporal-client.ts';

/**
 * A workflow task that is lost (its worker is killed, or the server forgets an update nobody has
 * answered) has written to the database what no history knows. Each test writes the same by the
 * same code, and hands in what comes next.
 */
const { databaseUrl, own } = ownPlatform();
const db = openTestDb(databaseUrl);
const client = await connectClient();
afterAll(async () => {
  await client.connection.close();
  await db.end();
});

const handleOf = ({ id }: Session) => client.workflow.getHandle(trustCheckWorkflowId(id));

const lose = (session: Session, ...steps: readonly Step[]) =>
  loseSteps({ db, client }, session, ...steps);

/** An attempt that did not pass, and what that makes of its proof. */
const attempted =
  (
    outcome: 'rejected' | 'unsure',
    reason_code: string,
    submission_id = randomIds.make('sub'),
  ): Step =>
  (session) => {
    const begun = rules.beginAttempt(session, 'phone', Date.now());
    const retryable = outcome === 'rejected';
    const judgement = { outcome, reason_code, retryable, provider: null, evidence_hash: null };
    return rules.settleAttempt(begun, 'phone', judgement, Date.now(), { submission_id });
  };
const wrongCode = (submission_id?: string): Step =>
  attempted('rejected', 'code_wrong', submission_id);
/** Nobody could judge it: a reviewer has to look. */
const unsure: Step = (session) => {
  const settled = attempted('unsure', 'provider_unavailable')(session);
  const decided = rules.move(settled, 'decide', Date.now());
  return rules.move(decided, 'review', Date.now());
};
/** The only attempt was wrong: the check has failed. */
const failed: Step = (session) => {
  const decided = rules.move(wrongCode()(session), 'decide', Date.now());
  return rules.move(decided, 'fail', Date.now(), 'max_attempts_reached');
};
const passed: Step = (session) => {
  const judgement = { outcome: 'passed', reason_code: null, retryable: false } as const;
  const told = { ...judgement, provider: null, evidence_hash: null };
  const begun = rules.beginAttempt(session, 'phone', Date.now());
  const settled = rules.settleAttempt(begun, 'phone', told, Date.now());
  return rules.move(rules.move(settled, 'decide', Date.now()), 'pass', Date.now());
};
const cancel: Step = (session) => rules.move(session, 'cancel', Date.now(), 'requester_canceled');

async function withCode(
  attempts: number,
  asked: Record<string, unknown> = {},
): Promise<{ session: Session; code: string }> {
  const session = await collecting(await newLink({ max_attempts: attempts, ...asked }));
  const number = newNumber();
  await session.step('phone/code', { phone_number: number });
  return { session, code: await codeFor(number) };
}

async function claimsSealedOf({ id }: Session): Promise<unknown> {
  const { rows } = await db.query<{ claims_sealed: Buffer | null }>(
    'SELECT claims_sealed FROM trust_checks WHERE link_session_id = $1',
    [id],
  );
  return rows[0]?.claims_sealed;
}

const review = ({ id }: Session, decision: string): Promise<Answer> =>
  call('POST', `/v2/trust-checks/${id}/review`, {
    token: own.api_key,
    body: { decision, note: 'seen' },
  });

/** What the events say, in their order. */
async function toldOf({ id }: Session): Promise<string[]> {
  const { body } = await call('GET', `/v2/trust-checks/${id}/events`, { token: own.api_key });
  const items = body['items'] as { type: string; data: { object: Record<string, unknown> } }[];
  return items.map(({ type, data: { object } }) => {
    const proof = (object['proofs'] as { attempt: number }[])[0];
    return type === 'proof.updated' ? `${type} ${proof?.attempt}` : type;
  });
}

describe('what a lost workflow task has put on record', () => {
  it('stands, and the next attempt counts after it', async () => {
    const { session, code } = await withCode(3);
    await lose(session, wrongCode(), wrongCode());
    const wrong = code === '123456' ? '654321' : '123456';
    const { body } = await session.step('proofs/phone', { code: wrong });
    expect(body).toMatchObject({ status: 'failed', attempt: 3 });
    const ended = await session.get();
    expect(ended.body).toMatchObject({ status: 'failed', reason_code: 'max_attempts_reached' });
    // Its affidavit may have come by now.
    expect((await toldOf(session)).filter((type) => type !== 'affidavit.available')).toEqual([
      'trust_check.created',
      'trust_check.opened',
      'trust_check.paired',
      'trust_check.consented',
      'proof.updated 1',
      'proof.updated 2',
      'proof.updated 3',
      'trust_check.processing',
      'trust_check.failed',
    ]);
    expect(await handleOf(session).result()).toMatchObject({ status: 'failed' });
  });

  it('is what the same submission is not counted twice for', async () => {
    const { session } = await withCode(3);
    const submission_id = randomIds.make('sub');
    const lost = await lose(session, wrongCode(submission_id), wrongCode());
    const again = await handleOf(session).executeUpdate(submitProofUpdate, {
      args: [{ proof: 'phone', submission_id }],
    });
    expect(again).toEqual(lost);
    expect((await session.get()).body['proofs']).toMatchObject([{ attempt: 2 }]);
  });

  it('ends the check where it was the end, and nothing is decided after it', async () => {
    const { session, code } = await withCode(3);
    await lose(session, cancel);
    const late = await session.step('proofs/phone', { code });
    expect([late.status, late.body['code']]).toEqual([409, 'invalid_state']);
    expect((await session.get()).body).toMatchObject({
      status: 'canceled',
      claims: {},
      affidavit: { status: 'none' },
    });
    expect(await handleOf(session).result()).toMatchObject({ status: 'canceled' });
    const { rows } = await db.query('SELECT 1 FROM proof_submissions WHERE link_session_id = $1', [
      session.id,
    ]);
    expect(rows).toEqual([]);
  });

  it('is not judged after its end, and has no claims from then on', async () => {
    const { session } = await withCode(3);
    const submission_id = await insertSubmission(db, session.id);
    await lose(session, cancel);
    const ended = await handleOf(session).executeUpdate(submitProofUpdate, {
      args: [{ proof: 'phone', submission_id }],
    });
    expect(ended.status).toBe('canceled');
    const { rows } = await db.query(
      'SELECT judged_at, evidence_sealed FROM proof_submissions WHERE submission_id = $1',
      [submission_id],
    );
    expect(rows).toEqual([{ judged_at: null, evidence_sealed: null }]);
    await writeOutcome(db, session.id, { ...unmatched, claimsSealed: Buffer.from('late') });
    expect(await claimsSealedOf(session)).toBeNull();
  });

  it('is no longer canceled where it was a decision', async () => {
    const { session } = await withCode(1);
    await lose(session, failed);
    const late = await session.step('cancel', { reason: 'came too late' });
    expect([late.status, late.body['code']]).toEqual([409, 'invalid_state']);
    const { body } = await session.get();
    expect(body).toMatchObject({ status: 'failed', cancel_reason: null });
    expect(await handleOf(session).result()).toMatchObject({ status: 'failed' });
  });

  it('is not tried again where it was the end', async () => {
    const { session } = await withCode(1);
    await lose(session, unsure);
    const again = await review(session, 'retry');
    expect([again.status, again.body['status']]).toEqual([200, 'requires_retry']);
    await lose(session, cancel);
    const late = await session.step('retry', {});
    expect([late.status, late.body['code']]).toEqual([409, 'invalid_state']);
    expect((await session.get()).body['status']).toBe('canceled');
  });

  it('says which submissions count: claims of another decide nothing', async () => {
    const matching_params = { full_name: 'ANNA ERIKSSON' };
    const { session, code } = await withCode(3, { matching_params });
    await insertSubmission(db, session.id, { full_name: 'SOMEBODY ELSE' });
    await session.step('proofs/phone', { code });
    expect((await session.get()).body).toMatchObject({
      status: 'passed',
      matching: { full_name: 'not_checked' },
    });
  });

  it('lets a reviewer decide what the workflow does not know to be in review', async () => {
    const { session } = await withCode(3);
    await lose(session, unsure);
    const rejected = await review(session, 'reject');
    expect([rejected.status, rejected.body['status']]).toEqual([200, 'failed']);
    expect(rejected.body['reason_code']).toBe('review_rejected');
    expect(await handleOf(session).result()).toMatchObject({ status: 'failed' });
  });

  it('goes on where a step that would have ended the check finds it in review', async () => {
    const { session, code } = await withCode(3);
    await lose(session, unsure);
    const late = await session.step('proofs/phone', { code });
    expect([late.status, late.body['code']]).toEqual([409, 'invalid_state']);
    expect((await session.get()).body['status']).toBe('in_review');
    // What no step took tells nothing.
    expect(await claimsSealedOf(session)).toBeNull();
    expect((await handleOf(session).describe()).status.name).toBe('RUNNING');
    const approved = await review(session, 'approve');
    expect([approved.status, approved.body['status']]).toEqual([200, 'passed']);
    expect(await handleOf(session).result()).toMatchObject({ status: 'passed' });
  });

  it('is told step by step, none with what came after it', async () => {
    const { session } = await withCode(3);
    await lose(session, wrongCode(), cancel);
    const { body } = await call('GET', `/v2/trust-checks/${session.id}/events`, {
      token: own.api_key,
    });
    const told = (body['items'] as { data: { object: Record<string, unknown> } }[])
      .slice(-2)
      .map(({ data: { object } }) => [object['status'], object['proofs']]);
    expect(told).toMatchObject([
      ['collecting', [{ status: 'requires_retry', attempt: 1, reason_code: 'code_wrong' }]],
      ['canceled', [{ status: 'canceled', attempt: 1, reason_code: 'code_wrong' }]],
    ]);
  });

  it('is no reason to refuse otherwise: what the record forbids too stays refused', async () => {
    const { session } = await withCode(3);
    await lose(session, wrongCode());
    const early = await session.step('retry');
    expect([early.status, early.body['code']]).toEqual([409, 'invalid_state']);
    const { log } = await handleOf(session).query(snapshotQuery);
    expect(log.at(-1)).toMatchObject({ proof_to: 'requires_retry' });
  });

  it('is not overwritten by a longer log that does not go on from it', async () => {
    const session = await collecting(await newLink());
    await lose(session, cancel);
    const known = await handleOf(session).query(snapshotQuery);
    const moved = { move: 'decide', from: 'collecting', to: 'processing' } as const;
    const at = new Date().toISOString();
    const log = [1, 2, 3].map((more) => ({ version: known.version + more, at, ...moved }));
    const longer = { ...known, version: known.version + 3, log: [...known.log, ...log] };
    const deps = { db, ids: randomIds, clock: () => new Date() };
    expect((await projectSnapshot(deps, longer)).status).toBe('canceled');
  });
});

describe('what the API has not put on record', () => {
  it('is on record once somebody repeats it: the process died in between', async () => {
    const { session } = await withCode(3);
    await lose(session, unsure);
    expect((await review(session, 'retry')).body['status']).toBe('requires_retry');
    await handleOf(session).executeUpdate(retryUpdate, { args: [{}] });
    expect((await session.get()).body['status']).toBe('requires_retry');
    const again = await session.step('retry', {});
    expect([again.status, again.body['code']]).toEqual([409, 'invalid_state']);
    expect((await session.get()).body['status']).toBe('collecting');
    expect((await toldOf(session)).at(-1)).toBe('trust_check.retried');
  });

  it('is not the end of a check: that comes with its affidavit, by the step that ends it', async () => {
    const { session, code } = await withCode(3);
    const ended = await afterSteps(client, session, passed);
    expect(ended.status).toBe('passed');
    const deps = { db, ids: randomIds, clock: () => new Date() };
    expect((await projectAnswer(deps, ended)).status).toBe('collecting');
    await session.step('proofs/phone', { code });
    const { body } = await session.get();
    expect(body['status']).toBe('passed');
    expect(body['affidavit']).toMatchObject({ affidavit_id: expect.stringMatching(/^aff_/) });
  });
});
