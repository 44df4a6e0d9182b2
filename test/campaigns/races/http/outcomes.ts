import type { Client } from '@temporalio/client';
import { expect } from 'vitest';
import {
  submitProofUpdate,
  trustCheckWorkflowId,
} from '../../../../workflows/trust-check/messages.ts';
import { insertUnsure } from '../../../support/checks/unsure.ts';
import {
  call,
  codeFor,
  collecting,
  newLink,
  newNumber,
  passedSession,
  withAffidavit,
  type Session,
} from '../../../support/http/client.ts';
import { ownPlatform } from '../../../support/platform/own-platform.ts';
import { connectClient } from '../../../support/platform/temporal-client.ts';
import {
  countEvents,
  countRows,
  keyOf,
  newName,
  raceDb,
  rowOf,
} from '../../../support/races/ground.ts';
import {
  atOnce,
  expectFates,
  told,
  untilAnswered,
  type AtEnd,
  type Race,
} from '../../../support/races/race.ts';

const at = (id: string, name = ''): string => `/v2/trust-checks/${id}${name && `/${name}`}`;
const own = () => ownPlatform().own;

async function clientUntil(atEnd: AtEnd): Promise<Client> {
  const client = await connectClient();
  atEnd(() => client.connection.close());
  return client;
}

/** Creates a check that waits for a reviewer. */
async function inReview(client: Client, body: Record<string, unknown> = {}): Promise<Session> {
  const session = await collecting(await newLink(body));
  const submission_id = await insertUnsure(ownPlatform().databaseUrl, session.id);
  const handle = client.workflow.getHandle(trustCheckWorkflowId(session.id));
  await handle.executeUpdate(submitProofUpdate, { args: [{ proof: 'phone', submission_id }] });
  return session;
}

const statusOf = (id: string) =>
  rowOf<{ status: string }>('SELECT status FROM trust_checks WHERE link_session_id = $1', [id]);

const review: Race = {
  name: 'review',
  rule: 'one reviewer decides a check',
  statements: ['reviews.insert', 'reviews.decide', 'reviews.drop', 'trust_checks.write_step'],
  roundsMax: 60,
  async prepare(atEnd) {
    const client = await clientUntil(atEnd);
    return async (callers) => {
      const session = await inReview(client);
      const decisions = ['approve', 'reject', 'retry'] as const;
      const becomes = { approve: 'passed', reject: 'failed', retry: 'requires_retry' };
      const answers = await atOnce(callers, (place) =>
        untilAnswered('POST', at(session.id, 'review'), {
          token: own().api_key,
          body: { decision: decisions[place % 3], note: `by ${place}` },
          headers: { 'idempotency-key': newName('review') },
        }),
      );
      const outcomes = answers.map(told);
      expectFates(outcomes, { 200: 1, '409 invalid_state': callers - 1 });
      const won = answers.findIndex(({ status }) => status === 200);
      const decision = decisions[won % 3] ?? 'approve';
      expect(await statusOf(session.id)).toEqual({ status: becomes[decision] });
      const { rows } = await raceDb().query(
        'SELECT decision FROM reviews WHERE link_session_id = $1',
        [session.id],
      );
      expect(rows).toEqual([{ decision }]);
      return outcomes;
    };
  },
};

const retry: Race = {
  name: 'retry',
  rule: 'a check that was given back is begun again once',
  statements: ['trust_checks.write_step'],
  roundsMax: 60,
  async prepare(atEnd) {
    const client = await clientUntil(atEnd);
    return async (callers) => {
      const session = await inReview(client);
      const token = own().api_key;
      const body = { decision: 'retry', note: 'once more' };
      await untilAnswered('POST', at(session.id, 'review'), { token, body });
      const answers = await atOnce(callers, () =>
        untilAnswered('POST', at(session.id, 'retry'), {
          token: session.token,
          body: {},
          headers: { 'idempotency-key': newName('retry') },
        }),
      );
      const outcomes = answers.map(told);
      expectFates(outcomes, { 200: 1, '409 invalid_state': callers - 1 });
      expect(await statusOf(session.id)).toEqual({ status: 'collecting' });
      expect(await countEvents('trust_check.retried', session.id)).toBe(1);
      return outcomes;
    };
  },
};

const cancelVsDecision: Race = {
  name: 'cancel-vs-decision',
  rule: 'a check is canceled or decided, once, and nobody is told what did not become of it',
  statements: ['trust_checks.write_step', 'links.settle_lease', 'trust_checks.set_cancel_reason'],
  roundsMax: 40,
  prepare: async () => async (callers) => {
    const session = await collecting(await newLink({ single_use: true }));
    const phone_number = newNumber();
    await session.lead('phone/code', { phone_number });
    const code = await codeFor(phone_number);
    const answers = await atOnce(callers, (place) =>
      untilAnswered('POST', at(session.id, place % 2 === 0 ? 'proofs/phone' : 'cancel'), {
        token: session.token,
        body: place % 2 === 0 ? { code } : { reason: `reason ${place}` },
        headers: { 'idempotency-key': newName('end') },
      }),
    );
    const outcomes = answers.map(told);
    expectFates(outcomes, {}, ['200', '409 invalid_state']);
    // A right code passes even if a cancellation came before the decision.
    const proved = outcomes.filter((one, place) => place % 2 === 0 && one === '200').length;
    const canceled = outcomes.filter((one, place) => place % 2 === 1 && one === '200').length;
    const isPassed = canceled === 0;
    expect([proved <= 1, canceled <= 1, proved + canceled > 0]).toEqual([true, true, true]);
    const row = await rowOf(
      `SELECT t.status, l.status AS link, t.affidavit_id IS NOT NULL AS is_attested,
         t.cancel_reason_sealed IS NOT NULL AS has_reason
       FROM trust_checks t JOIN links l USING (link_uuid) WHERE link_session_id = $1`,
      [session.id],
    );
    expect(row).toEqual(
      isPassed
        ? { status: 'passed', link: 'consumed', is_attested: true, has_reason: false }
        : { status: 'canceled', link: 'active', is_attested: false, has_reason: true },
    );
    const ends = await Promise.all(
      ['trust_check.passed', 'trust_check.canceled'].map((type) => countEvents(type, session.id)),
    );
    expect(ends).toEqual(isPassed ? [1, 0] : [0, 1]);
    return outcomes;
  },
};

const cancel: Race = {
  name: 'cancel',
  rule: 'of all who cancel a check one has, and the reason that is kept is theirs',
  statements: ['trust_checks.write_step', 'trust_checks.set_cancel_reason'],
  roundsMax: 60,
  prepare: async () => async (callers) => {
    const session = await collecting(await newLink({ single_use: true }));
    const requests = Array.from({ length: callers }, (_, place) => ({
      token: place % 2 === 0 ? session.token : own().api_key,
      body: place % 3 === 0 ? {} : { reason: `reason ${place}` },
      headers: { 'idempotency-key': newName('cancel') },
    }));
    const ask = (place: number) =>
      untilAnswered('POST', at(session.id, 'cancel'), requests[place] ?? {});
    const outcomes = (await atOnce(callers, ask)).map(told);
    expectFates(outcomes, { 200: 1, '409 invalid_state': callers - 1 });
    const winner = outcomes.indexOf('200');
    const again = await ask(winner);
    expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([200, 'true']);
    const { body } = await call('GET', at(session.id), { token: own().api_key });
    expect([body['status'], body['reason_code'], body['cancel_reason']]).toEqual([
      'canceled',
      winner % 2 === 0 ? 'user_closed' : 'requester_canceled',
      winner % 3 === 0 ? null : `reason ${winner}`,
    ]);
    expect(await countEvents('trust_check.canceled', session.id)).toBe(1);
    return outcomes;
  },
};

const revoked: Race = {
  name: 'outcome-revoked',
  rule: 'an outcome is taken back once, and told once',
  statements: ['trust_checks.lock', 'trust_checks.revoke'],
  roundsMax: 60,
  prepare: async () => async (callers) => {
    const { id } = await passedSession();
    const token = own().api_key;
    const answers = await atOnce(callers, () => call('POST', at(id, 'revoke'), { token }));
    const outcomes = answers.map(told);
    expectFates(outcomes, { 200: callers });
    expect(await countEvents('trust_check.revoked', id)).toBe(1);
    const noted = `SELECT 1 FROM audit_rows WHERE object_id = $1 AND action = 'trust_check.revoked'`;
    expect(await countRows(noted, [id])).toBe(1);
    return outcomes;
  },
};

const redaction: Race = {
  name: 'redaction-vs-download',
  rule: 'who reads evidence gets all of it or is told it is gone; it is removed once',
  statements: [
    'redaction.lock_sessions',
    'redaction.lock_own_link',
    'redaction.link',
    'redaction.trust_check',
    'affidavits.lock',
    'evidence.removed',
    'photos.remove_of_session',
    'redaction.meeting_reports',
  ],
  roundsMax: 30,
  prepare: async () => async (callers) => {
    const session = await passedSession({ single_use: true });
    await withAffidavit(session);
    const { id } = session;
    const { account_id, app_id } = own();
    // Each reader has its own limit.
    const token = await keyOf(account_id, ['ADMIN']);
    const whole = await call('GET', at(id, 'evidence'), { token });
    expect(whole.text.length).toBeGreaterThan(100);
    const download = `/v2/affidavits/${app_id}/${id}/download`;
    const answers = await atOnce(callers, async (place) => {
      if (place % 3 === 0) return call('POST', at(id, 'redact'), { token });
      if (place % 3 === 1) return call('GET', download, { token });
      // Few reads of an account run at once, and the others wait. An interrupted read has no answer
      // and returned none of its text.
      const read = untilAnswered('GET', at(id, 'evidence'), { token }, [429, 503]);
      return read.catch(() => null);
    });
    const outcomes = answers.map((answer) => (answer ? told(answer) : 'broken off'));
    expectFates(outcomes, {}, ['200', '302', '410 gone', 'broken off']);
    for (const [place, answer] of answers.entries()) {
      // The affidavit stays, and a redaction succeeds during other reads.
      if (place % 3 === 0) expect(answer?.status).toBe(200);
      if (place % 3 === 1) expect(answer?.status).toBe(302);
      if (place % 3 === 2 && answer?.status === 200) expect(answer.text).toBe(whole.text);
    }
    expect(await countEvents('trust_check.redacted', id)).toBe(1);
    const noted = `SELECT 1 FROM audit_rows WHERE object_id = $1 AND action = 'trust_check.redacted'`;
    expect(await countRows(noted, [id])).toBe(1);
    const left = `SELECT 1 FROM proof_submissions WHERE link_session_id = $1
      AND (input_sealed IS NOT NULL OR evidence_sealed IS NOT NULL)`;
    expect(await countRows(left, [id])).toBe(0);
    expect(told(await call('GET', at(id, 'evidence'), { token }))).toBe('410 gone');
    return outcomes;
  },
};

export const outcomeRaces: readonly Race[] = [
  review,
  retry,
  cancelVsDecision,
  cancel,
  revoked,
  redaction,
];
