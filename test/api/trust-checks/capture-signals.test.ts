import { beforeAll, describe, expect, it } from 'vitest';
import { evidenceHashOf } from '../../../domain/evidence/binding.ts';
import { parseEvidence } from '../../../domain/judging/files.ts';
import { captureSignals } from '../../../domain/names.ts';
import { photographDocument } from '../../../simulator/document/camera.ts';
import {
  call,
  collecting,
  newLink,
  withAffidavit,
  type Session,
} from '../../support/http/client.ts';
import { newTrialAccount } from '../../support/people/accounts.ts';
import { eventually } from '../../support/platform/harness.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';

const { own } = ownPlatform();
const token = own.api_key;
const reviewed = { review_on_unsure: true };
type Proofs = readonly Record<string, unknown>[];
let page: Uint8Array;

beforeAll(async () => {
  ({ front: page } = await photographDocument(new Date()));
});

const begin = async (policy = {}): Promise<Session> =>
  collecting(await newLink({ required_proofs: ['document'], policy }));

async function upload({ id, token: check }: Session, raw: Uint8Array = page): Promise<unknown> {
  const headers = { 'content-type': 'image/jpeg' };
  const path = `/v2/trust-checks/${id}/evidence/front.jpg`;
  return (await call('PUT', path, { token: check, raw, headers })).body['evidence_id'];
}

/** Submits the photograph and returns the judged proof as the subject sees it. */
async function submit(session: Session, capture_signals: readonly string[], raw?: Uint8Array) {
  const front = await upload(session, raw);
  const sent = await session.lead('proofs/document', { front, capture_signals });
  expect([200, 202]).toContain(sent.status);
  return eventually('the verdict', async () => {
    const [proof] = (await session.get()).body['proofs'] as Proofs;
    return proof && proof['status'] !== 'processing' && proof;
  });
}

const read = async ({ id }: Session, key = token) =>
  (await call('GET', `/v2/trust-checks/${id}`, { token: key })).body;
const proofOf = async (session: Session) => ((await read(session))['proofs'] as Proofs)[0];
const seen = async (session: Session): Promise<string> => (await session.get()).text;

async function approve(session: Session): Promise<void> {
  await eventually('its review', async () => (await read(session))['status'] === 'in_review');
  const body = { decision: 'approve', note: 'The pictures show a real document' };
  await call('POST', `/v2/trust-checks/${session.id}/review`, { token, body });
}

describe.concurrent('capture_signals', () => {
  it('are recorded and change no verdict if the link does not review unsure proofs', async () => {
    const session = await begin();
    const judged = await submit(session, ['repeated_frames', 'automated']);
    expect(judged).toMatchObject({ status: 'passed', reason_code: null });
    expect(judged).not.toHaveProperty('capture_signals');
    const signals = ['automated', 'repeated_frames'];
    expect(await proofOf(session)).toMatchObject({ status: 'passed', capture_signals: signals });
    const { text } = await call('GET', `/v2/trust-checks/${session.id}/evidence`, { token });
    const file = JSON.parse(text);
    expect(parseEvidence(file)).toMatchObject({ capture_signals: signals, fault: null });
    expect(evidenceHashOf([file])).toBe(judged['evidence_hash']);
    expect(evidenceHashOf([{ ...file, capture_signals: [] }])).not.toBe(judged['evidence_hash']);
    expect(() => parseEvidence({ ...file, capture_signals: ['other'] })).toThrow('capture_signals');
    expect((await withAffidavit(session)).text).not.toContain('capture_signals');
    const events = await call('GET', `/v2/trust-checks/${session.id}/events`, { token });
    expect(events.text).not.toContain('capture_signals');
    await call('POST', `/v2/trust-checks/${session.id}/redact`, { token });
    expect(await proofOf(session)).not.toHaveProperty('capture_signals');
  });

  it.each(captureSignals)(
    'send the check to review for %s if the link reviews unsure proofs',
    async (name) => {
      const session = await begin(reviewed);
      const doubted = { status: 'in_review', reason_code: 'camera_suspect' };
      expect(await submit(session, [name])).toMatchObject(doubted);
      expect(await proofOf(session)).toMatchObject({ ...doubted, capture_signals: [name] });
      expect(await seen(session)).not.toContain('capture_signals');
      await approve(session);
      const { body } = await withAffidavit(session);
      expect(body).toMatchObject({
        status: 'passed',
        decision: { level: 'low' },
        proofs: [{ status: 'passed', reason_code: null, capture: 'browser' }],
      });
      expect(await proofOf(session)).toMatchObject({ capture_signals: [name] });
    },
  );

  it('cause no review when the list is empty', async () => {
    const session = await begin(reviewed);
    expect(await submit(session, [])).toMatchObject({ status: 'passed', reason_code: null });
    expect(await proofOf(session)).not.toHaveProperty('capture_signals');
  });

  it('do not replace the reason of a proof that fails by itself', async () => {
    const session = await begin(reviewed);
    const judged = await submit(session, ['automated'], Buffer.from('<svg/>'));
    expect(judged).toMatchObject({ status: 'requires_retry', reason_code: 'image_refused' });
    expect(await proofOf(session)).toMatchObject({ capture_signals: ['automated'] });
  });

  it('do not change the preset result of a test check', async () => {
    const trial = await newTrialAccount(`signals-${process.pid}`);
    const body = { required_proofs: ['document'], policy: reviewed, sandbox_subject: 'pass' };
    const link = await call('PUT', `/v2/link/${trial.app_id}`, { token: trial.test_key, body });
    const session = await collecting(String(link.body['link_uuid']));
    expect(await submit(session, ['virtual_camera'])).toMatchObject({ status: 'passed' });
  });

  it('are not shown to the subject if the account withholds reasons', async () => {
    const trial = await newTrialAccount(`signals-neutral-${process.pid}`);
    const change = { token: trial.api_key, body: { subject_reasons: 'neutral' } };
    await call('PATCH', `/v2/accounts/${trial.account_id}`, change);
    const body = { required_proofs: ['document'], policy: reviewed };
    const link = await call('PUT', `/v2/link/${trial.app_id}`, { token: trial.test_key, body });
    const session = await collecting(String(link.body['link_uuid']));
    const judged = await submit(session, ['virtual_camera']);
    expect(judged).toMatchObject({ status: 'submitted', reason_code: null });
    expect(await seen(session)).not.toMatch(/camera_suspect|capture_signals/);
  });
});

describe.concurrent('capture_signals are rejected with 422', () => {
  const front = `ev_${'0'.repeat(26)}`;
  it.each<[string, 'document' | 'phone', unknown]>([
    ['with one signal twice', 'document', { front, capture_signals: ['automated', 'automated'] }],
    ['with an unknown signal', 'document', { front, capture_signals: ['OBS Virtual Camera'] }],
    [
      'with more than there are',
      'document',
      { front, capture_signals: [...captureSignals, 'automated'] },
    ],
    ['as a text', 'document', { front, capture_signals: 'automated' }],
    ['for a proof without a camera', 'phone', { code: '123456', capture_signals: [] }],
    [
      'beside a request for a review',
      'document',
      { review_request: { note: 'No camera' }, capture_signals: [] },
    ],
  ])('%s', async (_name, proof, body) => {
    const session = await collecting(await newLink({ required_proofs: ['phone', 'document'] }));
    const refused = await session.step(`proofs/${proof}`, body);
    expect(refused.status).toBe(422);
    expect(refused.text).toMatch(/capture_signals|review_request/);
  });
});
