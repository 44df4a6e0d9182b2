import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDevice } from '../../../simulator/device/device.ts';
import { photographDocument } from '../../../simulator/document/camera.ts';
import { phoneCheck } from '../../../simulator/session/check.ts';
import { createClient } from '../../../simulator/session/client.ts';
import { devTrust } from '../../support/checks/phone.ts';
import {
  call,
  codeFor,
  collecting,
  newLink,
  newNumber,
  type Answer,
  type Session,
} from '../../support/http/client.ts';
import { eventually, openTestDb } from '../../support/platform/harness.ts';
import { startLateApi, type LateApi } from '../../support/http/late-api.ts';
import { sentTo } from '../../support/http/sent-to.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';

const { own, databaseUrl } = ownPlatform();
const db = openTestDb(databaseUrl);
let late: LateApi;
let photograph: Uint8Array;

beforeAll(async () => {
  late = await startLateApi();
  ({ front: photograph } = await photographDocument(new Date()));
});
afterAll(async () => {
  await late.stop();
  await db.end();
});

/** Returns a check in the state `collecting` with an uploaded photograph of a document. */
async function withDocument(required_proofs: ('document' | 'phone')[]) {
  const session = await collecting(await newLink({ required_proofs }));
  const sent = await call('PUT', `/v2/trust-checks/${session.id}/evidence/front.jpg`, {
    token: session.token,
    raw: photograph,
    headers: { 'content-type': 'application/octet-stream' },
  });
  return { session, body: { front: String(sent.body['evidence_id']) } };
}

/** Submits a proof to an API that answers before the judgement is made. */
const submitLate = (
  { id, token }: Session,
  proof: string,
  body: object,
  key: string = randomUUID(),
): Promise<Answer> =>
  call('POST', `/v2/trust-checks/${id}/proofs/${proof}`, {
    token,
    body,
    headers: { 'idempotency-key': key },
    at: late.origin,
  });

const proofOf = async (session: Session, type: string): Promise<Record<string, unknown>> => {
  const proofs = (await session.get()).body['proofs'] as Record<string, unknown>[];
  return proofs.find((proof) => proof['type'] === type) ?? {};
};

const settled = (session: Session, type: string) =>
  eventually(`a verdict on ${type}`, async () => {
    const proof = await proofOf(session, type);
    return proof['status'] !== 'processing' && proof;
  });

/** Returns the states of a proof from its events, each with the previous state. */
async function toldOf({ id }: Session, type: string): Promise<unknown[]> {
  const { body } = await call('GET', `/v2/trust-checks/${id}/events`, { token: own.api_key });
  const items = body['items'] as {
    type: string;
    data: { object: Record<string, unknown> };
    previous: { status: string } | null;
  }[];
  return items
    .filter((event) => event.type === 'proof.updated' && event.data.object['proof'] === type)
    .map(({ data, previous }) => [previous?.status, data.object['proof_status']]);
}

async function submissionsOf({ id }: Session) {
  const { rows } = await db.query<{ proof: string; outcome: string | null }>(
    'SELECT proof, outcome FROM proof_submissions WHERE link_session_id = $1 ORDER BY created_at',
    [id],
  );
  return rows;
}

async function withCode() {
  const session = await collecting(await newLink());
  const number = newNumber();
  await session.lead('phone/code', { phone_number: number });
  return { session, code: await codeFor(number) };
}

describe('a submission that is not judged within its call', () => {
  it('returns 202 processing, submits once, and reports the verdict by an event', async () => {
    const { session, body } = await withDocument(['document', 'phone']);
    const key = randomUUID();
    const first = await submitLate(session, 'document', body, key);
    const processing = { type: 'document', status: 'processing', attempt: 1, reason_code: null };
    expect([first.status, first.body]).toEqual([202, expect.objectContaining(processing)]);
    const other = await submitLate(session, 'document', body);
    expect([other.status, other.body['code']]).toEqual([409, 'invalid_state']);
    expect(other.body['detail']).toContain('still judged');
    expect(await proofOf(session, 'document')).toMatchObject(processing);
    const again = await submitLate(session, 'document', body, key);
    expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([202, 'true']);
    const verdict = { ...processing, status: 'passed' };
    expect(await settled(session, 'document')).toMatchObject(verdict);
    expect(await toldOf(session, 'document')).toEqual([
      ['ready', 'processing'],
      ['processing', 'passed'],
    ]);
    expect(await submissionsOf(session)).toEqual([{ proof: 'document', outcome: 'passed' }]);
  });

  it('counts as one attempt, and a later attempt can be judged within its call', async () => {
    const { session, code } = await withCode();
    const wrong = code === '123456' ? '654321' : '123456';
    const first = await submitLate(session, 'phone', { code: wrong });
    expect([first.status, first.body['attempt']]).toEqual([202, 1]);
    const rejected = { status: 'requires_retry', attempt: 1, reason_code: 'code_wrong' };
    expect(await settled(session, 'phone')).toMatchObject(rejected);
    const second = await session.step('proofs/phone', { code });
    expect([second.status, second.body['status'], second.body['attempt']]).toEqual([
      200,
      'passed',
      2,
    ]);
    expect((await session.get()).body['status']).toBe('passed');
  });

  it('counts once when a concurrent submission is refused', async () => {
    const { session, body } = await withDocument(['document', 'phone']);
    const answers = await Promise.all([1, 2].map(() => submitLate(session, 'document', body)));
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([202, 409]);
    expect(await settled(session, 'document')).toMatchObject({ status: 'passed', attempt: 1 });
    // Once the workflow has answered a later update, it has processed both earlier ones.
    const number = newNumber();
    await session.lead('phone/code', { phone_number: number });
    await session.step('proofs/phone', { code: await codeFor(number) });
    expect(await proofOf(session, 'document')).toMatchObject({ status: 'passed', attempt: 1 });
  });

  it('is canceled with its check, which does not wait for the judgement', async () => {
    const { session, body } = await withDocument(['document']);
    expect((await submitLate(session, 'document', body)).status).toBe(202);
    const canceled = await session.step('cancel');
    expect([canceled.status, canceled.body['status']]).toEqual([200, 'canceled']);
    expect(await proofOf(session, 'document')).toMatchObject({ status: 'canceled' });
    expect(await submissionsOf(session)).toEqual([{ proof: 'document', outcome: null }]);
  });
});

it('a proof that is being judged does not block the other proofs of its check', async () => {
  const { session, body } = await withDocument(['document', 'phone']);
  const number = newNumber();
  await session.lead('phone/code', { phone_number: number });
  const code = await codeFor(number);
  const finished: string[] = [];
  const submit = async (proof: string, given: object): Promise<Answer> => {
    const answer = await session.step(`proofs/${proof}`, given);
    finished.push(proof);
    return answer;
  };
  const document = submit('document', body);
  const [read, typed] = await Promise.all([document, submit('phone', { code })]);
  expect([read, typed].map(({ status, body: proof }) => [status, proof['status']])).toEqual([
    [200, 'passed'],
    [200, 'passed'],
  ]);
  expect(finished).toEqual(['phone', 'document']);
  expect((await session.get()).body['status']).toBe('passed');
});

it('the simulated phone waits for a verdict that takes longer than its call', async () => {
  const link = await call('PUT', `/v2/link/${own.app_id}`, {
    token: own.api_key,
    body: { required_proofs: ['document', 'phone'] },
  });
  const trust = await devTrust();
  const { baseUrl } = ownPlatform();
  const [usual, slow] = [createClient(baseUrl), createClient(baseUrl, sentTo(late.origin))];
  const said: string[] = [];
  const session = await phoneCheck({
    link: String(link.body['url']),
    number: newNumber(),
    trust,
    device: createDevice({ platform: 'ios', trust, now: () => new Date() }),
    call: (method, path, options) => {
      const isSlow = path.endsWith('/proofs/document');
      return (isSlow ? slow : usual)(method, path, options);
    },
    say: (line) => void said.push(line),
  });
  expect(session.status).toBe('passed');
  const document = said.filter((line) => line.startsWith('document:'));
  expect(document).toEqual(['document: is still judged', 'document: passed']);
});
