import { beforeAll, describe, expect, inject, it } from 'vitest';
import { imageReaders } from '../../../../activities/proofs/image-readers.ts';
import type { Seed } from '../../../../cli/data-directory/seed.ts';
import type { Queryable } from '../../../../db/client.ts';
import { noteProviderSession } from '../../../../db/queries/evidence.ts';
import { readEvidenceFile } from '../../../../domain/judging/files.ts';
import { verifyAnyEvidence } from '../../../../domain/judging/verifiers.ts';
import type { FaceProvider } from '../../../../domain/names.ts';
import { photographDocument } from '../../../../simulator/document/camera.ts';
import { printedPortrait } from '../../../../simulator/face/face.ts';
import { framesOf, upload } from '../../../support/checks/frames.ts';
import { call, clientOf, collecting, type Session } from '../../../support/http/client.ts';
import { newAccount } from '../../../support/people/accounts.ts';
import { openTestDb } from '../../../support/platform/harness.ts';
import { ownPlatform } from '../../../support/platform/own-platform.ts';
import { startSecondApi } from '../../../support/platform/second-api.ts';
import { faceProviderSecret } from '../../../support/stand-ins/faces/face-provider.ts';
import { rekognitionAccount } from '../../../support/stand-ins/faces/rekognition.ts';

const db = openTestDb(ownPlatform().databaseUrl);
const standIns = inject('faceProviders');
const face = { proof: 'biometric' };
const sure = { status: 'succeeded', confidence: 96, isPictured: true, similarity: 99.6 };

interface Given {
  readonly account: Seed;
  readonly session: Session;
}
let byRekognition: Given;
let byHttp: Given;
beforeAll(async () => {
  const shown = { portrait: await printedPortrait() };
  const page = (await photographDocument(new Date(), shown)).front;
  [byRekognition, byHttp] = await Promise.all([
    waiting('rekognition', page),
    waiting('http', page),
  ]);
});

/** Returns a session with a portrait, of an account with this face provider. */
async function waiting(face_provider: FaceProvider, page: Uint8Array): Promise<Given> {
  const account = await newAccount(`faces-by-${face_provider}`);
  const path = `/v2/accounts/${account.account_id}`;
  const set = await call('PATCH', path, { token: account.api_key, body: { face_provider } });
  expect([set.status, set.body['face_provider']]).toEqual([200, face_provider]);
  const { link_uuid } = await clientOf(account.api_key).links.create({
    app_id: account.app_id,
    body: { required_proofs: ['document', 'biometric'], max_attempts: 9 },
  });
  const session = await collecting(link_uuid);
  const front = await upload(session, 'front.jpg', page);
  const judged = await session.lead('proofs/document', { front });
  if (judged.body['status'] !== 'passed') throw new Error(judged.text);
  return { account, session };
}

/** Returns a session with a portrait only by its row, which suffices for a challenge. */
async function bare(): Promise<Session> {
  const { account } = byHttp;
  const { link_uuid } = await clientOf(account.api_key).links.create({
    app_id: account.app_id,
    body: { required_proofs: ['document', 'biometric'] },
  });
  const session = await collecting(link_uuid);
  await db.query(
    `UPDATE trust_checks SET proofs = (
       SELECT jsonb_agg(p || '{"status": "ready"}') FROM jsonb_array_elements(proofs) p)
     WHERE link_session_id = $1`,
    [session.id],
  );
  return session;
}

/**
 * Sets the result of a session in the stand-in; returns the portrait it received for comparison.
 */
async function end(of: FaceProvider, id: string, how: object): Promise<Buffer> {
  const body = JSON.stringify(how);
  const answer = await fetch(`${standIns[of]}/stand-in/${id}`, { method: 'PUT', body });
  const { portrait } = (await answer.json()) as { portrait: string | null };
  return Buffer.from(portrait ?? '', 'base64');
}

async function ask(session: Session) {
  const { status, body, text } = await session.lead('challenges', face);
  if (status !== 201) throw new Error(text);
  const provider = body['provider'] as { name: string; session_id: string; client: object };
  return { ...body, challenge_id: String(body['challenge_id']), ...provider };
}

const submit = async (session: Session, body: object) => {
  const { body: judged, text } = await session.lead('proofs/biometric', body);
  if (!judged['status']) throw new Error(text);
  return [judged['status'], judged['reason_code']];
};

describe('a face judged by an external provider', () => {
  it('gets one provider session, which stays the same until it ends', async () => {
    const { session } = byRekognition;
    const before = Date.now();
    const [one, other] = [await ask(session), await ask(session)];
    expect(other).toEqual(one);
    expect(one).toMatchObject({
      name: 'rekognition',
      client: { region: rekognitionAccount.region },
    });
    expect(one).not.toHaveProperty('actions');
    const lifeMs = Date.parse(String(Object(one).expires_at)) - before;
    expect(lifeMs).toBeGreaterThan(120_000);
    expect(lifeMs).toBeLessThan(240_000);
    const elsewhere = await ask(byHttp.session);
    expect(elsewhere.client).toEqual({ page: `https://faces.test/${elsewhere.session_id}` });
  });

  it('is judged only by its own provider session and never by frames', async () => {
    const { session } = byRekognition;
    const { challenge_id, session_id } = await ask(session);
    const theirs = await ask(byHttp.session);
    await end('rekognition', session_id, sure);
    const unknown = ['requires_retry', 'challenge_unknown'];
    const frames = await framesOf(session);
    expect(await submit(session, { challenge_id, frames })).toEqual(unknown);
    const foreign = { challenge_id, provider_session: theirs.session_id };
    expect(await submit(session, foreign)).toEqual(unknown);
    const stolen = { challenge_id: theirs.challenge_id, provider_session: theirs.session_id };
    expect(await submit(session, stolen)).toEqual(unknown);
    const missing = await session.step('proofs/biometric', { challenge_id });
    expect([missing.status, missing.body['detail']]).toEqual([
      422,
      [{ loc: ['body', 'frames'], msg: 'Field required', type: 'missing' }],
    ]);
    expect((await ask(session)).session_id).toBe(session_id);
  });

  it('passes once, only above both thresholds, even if the session succeeded', async () => {
    const { session, account } = byRekognition;
    const tried = async (how: object) => {
      const { challenge_id, session_id: provider_session } = await ask(session);
      await end('rekognition', provider_session, how);
      return submit(session, { challenge_id, provider_session });
    };
    expect(await tried({ ...sure, confidence: 89 })).toEqual(['requires_retry', 'liveness_failed']);
    expect(await tried({ ...sure, isPictured: false })).toEqual([
      'requires_retry',
      'reference_missing',
    ]);
    const { challenge_id, session_id: provider_session } = await ask(session);
    await end('rekognition', provider_session, { ...sure, confidence: 89.9 });
    const answer = { challenge_id, provider_session };
    expect(await submit(session, answer)).toEqual(['requires_retry', 'liveness_failed']);
    // Liveness failed, so no portrait was sent for comparison.
    expect(await end('rekognition', provider_session, sure)).toHaveLength(0);
    expect(await submit(session, answer)).toEqual(['requires_retry', 'challenge_unknown']);
    const last = await ask(session);
    await end('rekognition', last.session_id, sure);
    const good = { challenge_id: last.challenge_id, provider_session: last.session_id };
    expect(await submit(session, good)).toEqual(['passed', null]);
    const portrait = await end('rekognition', last.session_id, sure);
    expect(portrait.subarray(0, 3).toString('hex')).toBe('ffd8ff');
    const checked = (await session.get()).body;
    expect(checked).toMatchObject({
      proofs: [{ type: 'biometric', status: 'passed', provider: 'rekognition' }, {}],
    });
    const path = `/v2/trust-checks/${session.id}/evidence`;
    const { text } = await call('GET', path, { token: account.api_key });
    const file = text.split('\n').findLast((line) => line.includes('"kind":"face-claim"')) ?? '';
    const { input } = JSON.parse(file);
    expect(Buffer.from(input.portrait, 'base64')).toEqual(portrait);
    expect(input.answers.liveness).toMatchObject({ Status: 'SUCCEEDED', Confidence: 96 });
    expect(input.answers.comparison).toMatchObject({ FaceMatches: [{ Similarity: 99.6 }] });
    const again = await verifyAnyEvidence(readEvidenceFile(Buffer.from(file)), imageReaders);
    expect(again).toMatchObject({
      verdict: 'passed',
      checks: [{ name: 'claim', result: 'skipped' }, {}, {}, {}, {}, {}],
      facts: { judged_by: 'rekognition', confidence_percent: 96, similarity_percent: 99.6 },
    });
  });

  it('is awaited while its session is running, and fails on another person’s face', async () => {
    const { session } = byHttp;
    const { challenge_id, session_id: provider_session } = await ask(session);
    const judging = submit(session, { challenge_id, provider_session });
    const isHandedIn = async (): Promise<boolean> =>
      (await db.query('SELECT 1 FROM proof_submissions WHERE link_session_id = $1', [session.id]))
        .rowCount === 2;
    await expect.poll(isHandedIn, { timeout: 60_000 }).toBe(true);
    await end('http', provider_session, { ...sure, similarity: 12 });
    expect(await judging).toEqual(['failed', 'face_mismatch']);
    expect((await session.get()).body).toMatchObject({ status: 'failed', reason_code: 'mismatch' });
  });
});

it('a challenge cannot use a provider session of another check, even concurrently', async () => {
  const [one, other] = await Promise.all([bare(), bare()]);
  const [first, second] = [await ask(one), await ask(other)];
  const until = new Date(Date.now() + 60_000);
  await db.query(
    'UPDATE proof_challenges SET provider_session = NULL WHERE challenge_id = ANY ($1)',
    [[first.challenge_id, second.challenge_id]],
  );
  const note = (on: Queryable, { challenge_id }: { challenge_id: string }) =>
    noteProviderSession(on, challenge_id, first.session_id, until);
  const tx = await db.connect();
  await tx.query('BEGIN');
  const taken = await note(tx, first);
  const late = note(db, second);
  const isWaiting = async (): Promise<boolean> =>
    (
      await db.query(`SELECT FROM pg_locks l JOIN pg_stat_activity a USING (pid)
      WHERE NOT l.granted AND a.query LIKE '%SET provider_session%'`)
    ).rowCount === 1;
  await expect.poll(isWaiting).toBe(true);
  await tx.query('COMMIT');
  tx.release();
  expect([taken?.provider_session, (await late)?.provider_session]).toEqual([
    first.session_id,
    null,
  ]);
});

it('a challenge gets 503 if no provider session can be created, and is not counted', async () => {
  const session = await bare();
  const away = await startSecondApi({
    FACE_HTTP_URL: 'http://127.0.0.1:9/faces',
    FACE_HTTP_SECRET: faceProviderSecret,
  });
  const path = `/v2/trust-checks/${session.id}/challenges`;
  const options = { at: away.origin, token: session.token, body: face };
  for (let ended = 0; ended < 6; ended += 1) {
    const refused = await call('POST', path, options);
    expect([refused.status, refused.body['code']]).toEqual([503, 'dependency_unavailable']);
    await db.query(
      `UPDATE proof_challenges SET expires_at = now() - interval '1 second'
       WHERE link_session_id = $1`,
      [session.id],
    );
  }
  await away.stop();
  expect((await ask(session)).name).toBe('http');
});

it('an account cannot select a face provider that the operator has not configured', async () => {
  const { account } = byHttp;
  const api = await startSecondApi();
  const answer = await fetch(`${api.origin}/v2/accounts/${account.account_id}`, {
    method: 'PATCH',
    headers: { 'X-API-Key': account.api_key, 'content-type': 'application/json' },
    body: JSON.stringify({ face_provider: 'rekognition' }),
  });
  const fault = { msg: 'is not configured on this platform', type: 'not_configured' };
  expect([answer.status, await answer.json()]).toMatchObject([
    422,
    { detail: [{ loc: ['body', 'face_provider'], ...fault }] },
  ]);
  await api.stop();
  const path = `/v2/accounts/${account.account_id}`;
  const body = { face_provider: null };
  const unset = await call('PATCH', path, { token: account.api_key, body });
  expect([unset.status, unset.body['face_provider']]).toEqual([200, null]);
});
