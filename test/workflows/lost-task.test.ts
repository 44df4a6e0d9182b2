import { afterAll, describe, expect, it } from 'vitest';
import { projectSnapshot } from '../../activities/trust-checks/project.ts';
import { randomIds } from '../../db/ids.ts';
import {
  snapshotQuery,
  submitProofUpdate,
  trustCheckWorkflowId,
  type TrustCheckSnapshot,
} from '../../workflows/trust-check/messages.ts';
import * as rules from '../../workflows/trust-check/session.ts';
import { call, codeFor, collecting, newLink, newNumber, type Session } from '../client.ts';
import { openTestDb } from '../harness.ts';
import { ownPlatform } from '../own-platform.ts';
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

type Step = (session: rules.TrustCheckSession) => rules.TrustCheckSession;

const handleOf = ({ id }: Session) => client.workflow.getHandle(trustCheckWorkflowId(id));

/** Steps of a task that was lost: on record, unknown to the workflow. */
async function lose(session: Session, ...steps: Step[]): Promise<TrustCheckSnapshot> {
  const known = await handleOf(session).query(snapshotQuery);
  const input = {
    link_session_id: session.id,
    account_id: own.account_id,
    proofs: ['phone'] as const,
    attempts_max: 3,
    review_on_unsure: true,
    timers: { unopenedMs: 1, idleMs: 1, hardMs: 1 },
  };
  const start = rules.adopt(rules.newSession(input, Date.now()), known);
  const { snapshot } = steps.reduce((current, step) => step(current), start);
  await projectSnapshot({ db, ids: randomIds, clock: () => new Date() }, snapshot);
  return snapshot;
}

const wrongCode =
  (submission_id = randomIds.make('sub')): Step =>
  (session) => {
    const begun = rules.beginAttempt(session, 'phone', Date.now());
    const judgement: rules.Judgement = {
      outcome: 'rejected',
      reason_code: 'code_wrong',
      retryable: true,
      provider: 'sms',
      evidence_hash: null,
    };
    return rules.settleAttempt(begun, 'phone', judgement, Date.now(), { submission_id });
  };
/** Nobody could judge it: a reviewer has to look. */
const unsure: Step = (session) => {
  const now = Date.now();
  const judgement: rules.Judgement = {
    outcome: 'unsure',
    reason_code: 'provider_unavailable',
    retryable: false,
    provider: null,
    evidence_hash: null,
  };
  const begun = rules.beginAttempt(session, 'phone', now);
  const settled = rules.settleAttempt(begun, 'phone', judgement, now);
  return rules.move(rules.move(settled, 'decide', now), 'review', now);
};
const cancel: Step = (session) => rules.move(session, 'cancel', Date.now(), 'requester_canceled');

async function withCode(attempts: number): Promise<{ session: Session; code: string }> {
  const session = await collecting(await newLink({ max_attempts: attempts }));
  const number = newNumber();
  await session.step('phone/code', { phone_number: number });
  return { session, code: await codeFor(number) };
}

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
    expect(await toldOf(session)).toEqual([
      'trust_check.created',
      'trust_check.opened',
      'trust_check.paired',
      'trust_check.consented',
      'proof.updated 2',
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
    expect([late.status, late.body['status']]).toEqual([200, 'canceled']);
    expect((await session.get()).body).toMatchObject({
      status: 'canceled',
      claims: {},
      affidavit: { status: 'none' },
    });
    expect(await handleOf(session).result()).toMatchObject({ status: 'canceled' });
    const { rows } = await db.query(
      `SELECT c.claims_sealed, s.submission_id
       FROM trust_checks c LEFT JOIN proof_submissions s USING (link_session_id)
       WHERE link_session_id = $1`,
      [session.id],
    );
    expect(rows).toEqual([{ claims_sealed: null, submission_id: null }]);
  });

  it('lets a reviewer decide what the workflow does not know to be in review', async () => {
    const { session } = await withCode(3);
    await lose(session, unsure);
    const review = await call('POST', `/v2/trust-checks/${session.id}/review`, {
      token: own.api_key,
      body: { decision: 'reject', note: 'not seen' },
    });
    expect([review.status, review.body['status']]).toEqual([200, 'failed']);
    expect(review.body['reason_code']).toBe('review_rejected');
    expect(await handleOf(session).result()).toMatchObject({ status: 'failed' });
  });

  it('goes on where a step that would have ended the check finds it in review', async () => {
    const { session, code } = await withCode(3);
    await lose(session, unsure);
    const late = await session.step('proofs/phone', { code });
    expect([late.status, late.body['status']]).toEqual([200, 'in_review']);
    expect((await session.get()).body).toMatchObject({ status: 'in_review', claims: {} });
    expect((await handleOf(session).describe()).status.name).toBe('RUNNING');
    const review = await call('POST', `/v2/trust-checks/${session.id}/review`, {
      token: own.api_key,
      body: { decision: 'approve', note: 'seen' },
    });
    expect([review.status, review.body['status']]).toEqual([200, 'passed']);
    // What no step took tells nothing.
    expect(review.body['claims']).toEqual({});
    expect(await handleOf(session).result()).toMatchObject({ status: 'passed' });
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
