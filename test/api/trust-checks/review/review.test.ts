import type { Client } from '@temporalio/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Db } from '../../../../db/client.ts';
import { snapshotQuery, trustCheckWorkflowId } from '../../../../workflows/trust-check/messages.ts';
import { sessionInReview } from '../../../support/checks/unsure.ts';
import {
  beginSession,
  call,
  newLink,
  type Answer,
  type Session,
} from '../../../support/http/client.ts';
import { eventually, openTestDb } from '../../../support/platform/harness.ts';
import { ownPlatform } from '../../../support/platform/own-platform.ts';
import { startSecondApi, type SecondApi } from '../../../support/platform/second-api.ts';
import { connectClient } from '../../../support/platform/temporal-client.ts';
import { openLine, type Line } from '../../../support/stand-ins/line.ts';

const { own, databaseUrl, temporalAddress } = ownPlatform();
let db: Db;
let client: Client;
let line: Line;
/** An API whose connection to the Temporal server can be cut. */
let deaf: SecondApi;
/** A session that has ended. */
let ended: Session;

beforeAll(async () => {
  db = openTestDb(databaseUrl);
  client = await connectClient();
  line = await openLine(temporalAddress);
  deaf = await startSecondApi({ TEMPORAL_ADDRESS: line.address, TRUSTED_PROXIES: 'loopback' });
  ended = await beginSession(await newLink());
  await ended.step('cancel');
});
afterAll(async () => {
  await deaf.stop();
  await line.stop();
  await client.connection.close();
  await db.end();
});

const outcome = ({ status, body }: Answer): unknown[] => [status, body['code'] ?? body['status']];
let lastKey = 0;
const newKey = (): string => `review-${process.pid}-${Date.now()}-${(lastKey += 1)}`;

interface Asked {
  readonly token?: string;
  readonly key?: string;
  readonly at?: string;
}

function ask(session: Session, what: string, body: unknown, asked: Asked = {}): Promise<Answer> {
  const { token = own.api_key, key, at } = asked;
  return call('POST', `/v2/trust-checks/${session.id}/${what}`, {
    token,
    body,
    headers: key === undefined ? {} : { 'idempotency-key': key },
    ...(at === undefined ? {} : { at }),
  });
}

const read = async (session: Session, token = own.api_key) =>
  (await call('GET', `/v2/trust-checks/${session.id}`, { token })).body;
const movesOf = async (session: Session, type: string): Promise<number> => {
  const { body } = await call('GET', `/v2/trust-checks/${session.id}/events?limit=500`, {
    token: own.api_key,
  });
  return (body['items'] as { type: string }[]).filter((event) => event.type === type).length;
};
const rowsOf = async (session: Session): Promise<unknown> =>
  (await db.query('SELECT decision FROM reviews WHERE link_session_id = $1', [session.id])).rows;

/** Sends a request whose answer from Temporal is lost, then repeats it over a good connection. */
async function throughACrash(
  session: Session,
  what: string,
  body: unknown,
  became: string,
): Promise<Answer> {
  const key = newKey();
  await eventually('the line to stand', async () => {
    const told = await ask(ended, 'cancel', {}, { at: deaf.origin });
    return told.body['code'] === 'invalid_state';
  });
  line.cut();
  const lost = await ask(session, what, body, { key, at: deaf.origin });
  line.mend();
  expect(outcome(lost)).toEqual([503, 'dependency_unavailable']);
  const handle = client.workflow.getHandle(trustCheckWorkflowId(session.id));
  await eventually('what was asked for', async () => {
    const { status } = await handle.query(snapshotQuery);
    return status === became;
  });
  // A failed run may have renewed its lock on the key just before.
  const again = await eventually('the hold of the key to end', async () => {
    const answer = await ask(session, what, body, { key });
    return answer.body['code'] !== 'idempotency_in_progress' && answer;
  });
  expect(again.headers.get('idempotent-replayed')).toBeNull();
  return again;
}

const decisions = [
  ['approve', 'passed'],
  ['reject', 'failed'],
  ['retry', 'requires_retry'],
] as const;

describe('a review', () => {
  it.each(decisions)(
    'to %s is recorded once and shown only to the account',
    async (decision, status) => {
      const session = await sessionInReview(client);
      const key = newKey();
      const note = `Seen by two: ${decision}`;
      const [first, second] = [
        await ask(session, 'review', { decision, note }, { key }),
        await ask(session, 'review', { decision, note }, { key }),
      ];
      expect([outcome(first), outcome(second)]).toEqual([
        [200, status],
        [200, status],
      ]);
      expect(second.headers.get('idempotent-replayed')).toBe('true');
      const seen = await read(session);
      expect(seen['reviews']).toEqual([
        {
          reviewer: own.api_key.slice(0, own.api_key.lastIndexOf('_')),
          reviewer_name: expect.stringMatching(/\w/),
          decision,
          note,
          decided_at: expect.any(String),
        },
      ]);
      if (status !== 'requires_retry') {
        expect(seen).toMatchObject({ decided_at: (seen['reviews'] as never[])[0]?.['decided_at'] });
      }
      expect((await read(session, session.token))['reviews']).toEqual([]);
      const stored = await db.query(
        'SELECT position($2::bytea IN note_sealed) AS plain FROM reviews WHERE link_session_id = $1',
        [session.id, Buffer.from('Seen by')],
      );
      expect(stored.rows).toEqual([{ plain: 0 }]);
    },
  );

  it.each(decisions)(
    'to %s takes effect once when its answer was lost',
    async (decision, status) => {
      const session = await sessionInReview(client);
      const body = { decision, note: 'Heard by nobody' };
      expect(outcome(await throughACrash(session, 'review', body, status))).toEqual([200, status]);
      expect((await read(session))['reviews']).toMatchObject([{ decision, note: body.note }]);
      expect(await rowsOf(session)).toEqual([{ decision }]);
      expect(await movesOf(session, `trust_check.${status}`)).toBe(1);
    },
  );

  it('by one of two concurrent reviewers takes effect, the other gets 409', async () => {
    const session = await sessionInReview(client);
    const answers = await Promise.all([
      ask(session, 'review', { decision: 'approve', note: 'It is them' }),
      ask(
        session,
        'review',
        { decision: 'reject', note: 'It is not' },
        { token: own.admin.session_token },
      ),
    ]);
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409]);
    const hasPassed = answers[0].status === 200;
    expect(await read(session)).toMatchObject({
      status: hasPassed ? 'passed' : 'failed',
      reviews: [
        hasPassed
          ? { decision: 'approve', note: 'It is them' }
          : { decision: 'reject', reviewer: own.admin.poly_user_id, reviewer_name: null },
      ],
    });
    expect(await rowsOf(session)).toHaveLength(1);
  });

  it('of a check that is not in review returns 409 and is not stored', async () => {
    const session = await beginSession(await newLink());
    const refused = await ask(session, 'review', { decision: 'approve', note: 'too early' });
    expect(outcome(refused)).toEqual([409, 'invalid_state']);
    expect(await rowsOf(session)).toEqual([]);
  });

  it('keeps its decision and loses its note when the check is redacted', async () => {
    const session = await sessionInReview(client);
    await ask(session, 'review', { decision: 'approve', note: 'The scar is the same' });
    const redacted = await eventually('its affidavit', async () => {
      const answer = await ask(session, 'redact', {});
      return answer.status === 200 && answer;
    });
    expect(redacted.body['redaction_status']).toBe('redacted');
    expect((await read(session))['reviews']).toMatchObject([{ decision: 'approve', note: null }]);
  });
});

describe('trust-checks.retry', () => {
  const givenBack = async (): Promise<Session> => {
    const session = await sessionInReview(client);
    await ask(session, 'review', { decision: 'retry', note: 'The picture is dark' });
    return session;
  };

  it('starts one attempt per idempotency key', async () => {
    const session = await givenBack();
    const key = newKey();
    expect(outcome(await ask(session, 'retry', {}, { key }))).toEqual([200, 'collecting']);
    const again = await ask(session, 'retry', {}, { key });
    expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([200, 'true']);
    expect(outcome(await ask(session, 'retry', {}))).toEqual([409, 'invalid_state']);
  });

  it('emits trust_check.retried with the new state, and no second consent event', async () => {
    const session = await givenBack();
    await ask(session, 'retry', {});
    const { body } = await call('GET', `/v2/trust-checks/${session.id}/events?limit=500`, {
      token: own.api_key,
    });
    const items = body['items'] as { type: string }[];
    expect(items.at(-1)).toMatchObject({
      type: 'trust_check.retried',
      previous: { status: 'requires_retry' },
      data: { object: { status: 'collecting' } },
    });
    expect(await movesOf(session, 'trust_check.consented')).toBe(1);
  });

  it('starts one attempt when its answer was lost', async () => {
    const session = await givenBack();
    const again = await throughACrash(session, 'retry', {}, 'collecting');
    expect(outcome(again)).toEqual([200, 'collecting']);
    expect(await movesOf(session, 'trust_check.retried')).toBe(1);
  });
});

it('trust-checks.cancel keeps its reason when its answer was lost', async () => {
  const session = await beginSession(await newLink());
  const body = { reason: 'The vacancy is filled' };
  const again = await throughACrash(session, 'cancel', body, 'canceled');
  expect(outcome(again)).toEqual([200, 'canceled']);
  expect(await read(session)).toMatchObject({ cancel_reason: body.reason });
});
