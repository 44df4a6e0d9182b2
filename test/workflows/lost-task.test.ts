import { afterAll, describe, expect, it } from 'vitest';
import { randomIds } from '../../db/ids.ts';
import { writeOutcome } from '../../db/queries/check-outcomes.ts';
import {
  retryUpdate,
  submitProofUpdate,
  trustCheckWorkflowId,
} from '../../workflows/trust-check/messages.ts';
import { attempted, canceled, decided, loseSteps, unsure } from '../support/checks/lost-steps.ts';
import { unmatched } from '../support/checks/outcome.ts';
import { insertSubmission } from '../support/checks/submission.ts';
import {
  call,
  codeFor,
  collecting,
  newLink,
  newNumber,
  type Answer,
  type Session,
} from '../support/http/client.ts';
import { openTestDb } from '../support/platform/harness.ts';
import { ownPlatform } from '../support/platform/own-platform.ts';
import { connectClient } from '../support/platform/temporal-client.ts';

/**
 * A workflow task is lost when its worker is killed or the server forgets an update. Its steps are
 * in the database but not in the history. Each test takes such steps with the same activity, then
 * sends the next step.
 */
const { databaseUrl, own } = ownPlatform();
const db = openTestDb(databaseUrl);
const client = await connectClient();
afterAll(async () => {
  await client.connection.close();
  await db.end();
});

const handleOf = ({ id }: Session) => client.workflow.getHandle(trustCheckWorkflowId(id));

const lose = (session: Session, ...steps: Parameters<typeof loseSteps>[2][]) =>
  loseSteps(db, session, ...steps);
const wrongCode = (submission_id?: string) => attempted('rejected', 'code_wrong', submission_id);
/** The only attempt was wrong, so the check has failed. */
const failed = () => [wrongCode(), decided('fail', 'max_attempts_reached')] as const;

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

/** The types of the events, in order. */
async function toldOf({ id }: Session): Promise<string[]> {
  const { body } = await call('GET', `/v2/trust-checks/${id}/events`, { token: own.api_key });
  const items = body['items'] as { type: string; data: { object: Record<string, unknown> } }[];
  return items.map(({ type, data: { object } }) => {
    const proof = (object['proofs'] as { attempt: number }[])[0];
    return type === 'proof.updated' ? `${type} ${proof?.attempt}` : type;
  });
}

describe('a step of a lost workflow task', () => {
  it('counts, and the next attempt has the next number', async () => {
    const { session, code } = await withCode(3);
    await lose(session, wrongCode(), wrongCode());
    const wrong = code === '123456' ? '654321' : '123456';
    const { body } = await session.step('proofs/phone', { code: wrong });
    expect(body).toMatchObject({ status: 'failed', attempt: 3 });
    const ended = await session.get();
    expect(ended.body).toMatchObject({ status: 'failed', reason_code: 'max_attempts_reached' });
    // The affidavit may be available by now.
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

  it('is not counted twice for the same submission', async () => {
    const { session } = await withCode(3);
    const submission_id = randomIds.make('sub');
    const lost = await lose(session, wrongCode(submission_id), wrongCode());
    const again = await handleOf(session).executeUpdate(submitProofUpdate, {
      args: [{ proof: 'phone', submission_id }],
    });
    expect(again).toEqual(lost);
    expect((await session.get()).body['proofs']).toMatchObject([{ attempt: 2 }]);
  });

  it('ends the check, and nothing is decided afterwards', async () => {
    const { session, code } = await withCode(3);
    await lose(session, canceled);
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

  it('prevents a later judgement when it ended the check, and claims are no longer written', async () => {
    const { session } = await withCode(3);
    const submission_id = await insertSubmission(db, session.id);
    await lose(session, canceled);
    const late = handleOf(session).executeUpdate(submitProofUpdate, {
      args: [{ proof: 'phone', submission_id }],
    });
    await expect(late).rejects.toMatchObject({ cause: { type: 'invalid_state' } });
    expect(await handleOf(session).result()).toMatchObject({ status: 'canceled' });
    const { rows } = await db.query(
      'SELECT judged_at, evidence_sealed FROM proof_submissions WHERE submission_id = $1',
      [submission_id],
    );
    expect(rows).toEqual([{ judged_at: null, evidence_sealed: null }]);
    await writeOutcome(db, session.id, { ...unmatched, claimsSealed: Buffer.from('late') });
    expect(await claimsSealedOf(session)).toBeNull();
  });

  it('stands against a later cancellation when it was a decision', async () => {
    const { session } = await withCode(1);
    await lose(session, ...failed());
    const late = await session.step('cancel', { reason: 'came too late' });
    expect([late.status, late.body['code']]).toEqual([409, 'invalid_state']);
    const { body } = await session.get();
    expect(body).toMatchObject({ status: 'failed', cancel_reason: null });
    expect(await handleOf(session).result()).toMatchObject({ status: 'failed' });
  });

  it('prevents a retry when it ended the check', async () => {
    const { session } = await withCode(1);
    await lose(session, ...unsure());
    const again = await review(session, 'retry');
    expect([again.status, again.body['status']]).toEqual([200, 'requires_retry']);
    await lose(session, canceled);
    const late = await session.step('retry', {});
    expect([late.status, late.body['code']]).toEqual([409, 'invalid_state']);
    expect((await session.get()).body['status']).toBe('canceled');
  });

  it('determines which submissions count: claims of another one do not', async () => {
    const matching_params = { full_name: 'ANNA ERIKSSON' };
    const { session, code } = await withCode(3, { matching_params });
    await insertSubmission(db, session.id, { full_name: 'SOMEBODY ELSE' });
    await session.step('proofs/phone', { code });
    const { body } = await call('GET', `/v2/trust-checks/${session.id}`, { token: own.api_key });
    expect(body).toMatchObject({
      status: 'passed',
      matching: { full_name: 'not_checked' },
    });
  });

  it('lets a reviewer decide a check that the workflow does not know to be in review', async () => {
    const { session } = await withCode(3);
    await lose(session, ...unsure());
    const rejected = await review(session, 'reject');
    expect([rejected.status, rejected.body['status']]).toEqual([200, 'failed']);
    expect(rejected.body['reason_code']).toBe('review_rejected');
    expect(await handleOf(session).result()).toMatchObject({ status: 'failed' });
  });

  it('keeps the workflow running when it put the check in review', async () => {
    const { session, code } = await withCode(3);
    await lose(session, ...unsure());
    const late = await session.step('proofs/phone', { code });
    expect([late.status, late.body['code']]).toEqual([409, 'invalid_state']);
    expect((await session.get()).body['status']).toBe('in_review');
    // Only a recorded step adds claims.
    expect(await claimsSealedOf(session)).toBeNull();
    expect((await handleOf(session).describe()).status.name).toBe('RUNNING');
    const approved = await review(session, 'approve');
    expect([approved.status, approved.body['status']]).toEqual([200, 'passed']);
    expect(await handleOf(session).result()).toMatchObject({ status: 'passed' });
  });

  it('has its own event with the state of that moment', async () => {
    const { session } = await withCode(3);
    await lose(session, wrongCode(), canceled);
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

  it('leaves a step refused that the recorded state also forbids', async () => {
    const { session } = await withCode(3);
    await lose(session, wrongCode());
    const early = await session.step('retry');
    expect([early.status, early.body['code']]).toEqual([409, 'invalid_state']);
    const { body } = await session.get();
    expect(body).toMatchObject({ status: 'collecting', proofs: [{ status: 'requires_retry' }] });
  });

  it('is followed by the decision, which the next step of any caller triggers', async () => {
    const { session } = await withCode(3);
    await lose(session, attempted('passed', null));
    expect((await session.get()).body['status']).toBe('processing');
    const late = await session.step('cancel', {});
    expect([late.status, late.body['code']]).toEqual([409, 'invalid_state']);
    const { body } = await session.get();
    expect(body['status']).toBe('passed');
    expect(body['affidavit']).toMatchObject({ affidavit_id: expect.stringMatching(/^aff_/) });
    expect(await handleOf(session).result()).toMatchObject({ status: 'passed' });
  });
});

it('a step is recorded before its workflow answers, so a process that dies then loses nothing', async () => {
  const { session } = await withCode(3);
  await lose(session, ...unsure());
  expect((await review(session, 'retry')).body['status']).toBe('requires_retry');
  await handleOf(session).executeUpdate(retryUpdate, { args: [{}] });
  expect((await session.get()).body['status']).toBe('collecting');
  const again = await session.step('retry', {});
  expect([again.status, again.body['code']]).toEqual([409, 'invalid_state']);
  expect((await toldOf(session)).at(-1)).toBe('trust_check.retried');
});
