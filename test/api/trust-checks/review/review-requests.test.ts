import { describe, expect, it } from 'vitest';
import {
  beginSession,
  call,
  codeFor,
  collecting,
  newLink,
  newNumber,
} from '../../../support/http/client.ts';
import { eventually } from '../../../support/platform/harness.ts';
import { ownPlatform } from '../../../support/platform/own-platform.ts';

const { own } = ownPlatform();
const token = own.api_key;
const note = 'My camera is broken. Call +49 151 12345678.';
const asked = { review_request: { note } };
type Proof = 'phone' | 'document' | 'biometric';

const begin = async (required_proofs: Proof[], review_on_unsure = true) =>
  collecting(await newLink({ required_proofs, policy: { review_on_unsure } }));
const read = async (id: string) => (await call('GET', `/v2/trust-checks/${id}`, { token })).body;
const requested = { reason_code: 'review_requested', status: 'in_review', capture: null };

describe.concurrent('a subject who cannot take pictures', () => {
  it('requests a review, and a reviewer reads the reason and decides', async () => {
    const session = await begin(['document', 'biometric']);
    const first = await session.step('proofs/document', asked);
    expect([first.status, first.body]).toEqual([200, expect.objectContaining(requested)]);
    const second = await session.step('proofs/biometric', { review_request: { note: ' Blind ' } });
    expect([second.status, second.body]).toEqual([200, expect.objectContaining(requested)]);
    await eventually('its review', async () => (await read(session.id))['status'] === 'in_review');
    expect((await read(session.id))['review_requests']).toMatchObject([
      { proof: 'document', note },
      { proof: 'biometric', note: 'Blind' },
    ]);
    expect((await session.get()).body['review_requests']).toEqual([]);
    const body = { decision: 'approve', note: 'Met in person' };
    await call('POST', `/v2/trust-checks/${session.id}/review`, { token, body });
    const passed = await eventually('its affidavit', async () => {
      const check = await read(session.id);
      const { status } = check['affidavit'] as { status: string };
      return status === 'available' && { ...check, proofs: check['proofs'] };
    });
    // The approval of a reviewer does not raise the level.
    expect(passed).toMatchObject({ status: 'passed', decision: { level: 'low' }, claims: {} });
    const unchecked = { status: 'passed', reason_code: 'review_requested', capture: null };
    expect(passed.proofs).toMatchObject([unchecked, unchecked]);
    await call('POST', `/v2/trust-checks/${session.id}/redact`, { token });
    expect((await read(session.id))['review_requests']).toMatchObject([
      { proof: 'document', note: null },
      { proof: 'biometric', note: null },
    ]);
  });

  it('can submit another proof first, and photographs after the reviewer orders a retry', async () => {
    const session = await begin(['phone', 'document']);
    expect((await session.step('proofs/document', asked)).body).toMatchObject(requested);
    const number = newNumber();
    await session.step('phone/code', { phone_number: number });
    await session.step('proofs/phone', { code: await codeFor(number) });
    await eventually('its review', async () => (await read(session.id))['status'] === 'in_review');
    const body = { decision: 'retry', note: 'Please borrow a phone' };
    await call('POST', `/v2/trust-checks/${session.id}/review`, { token, body });
    await session.step('retry');
    expect((await session.get()).body['proofs']).toMatchObject([
      { type: 'document', status: 'ready', reason_code: null },
      { type: 'phone', status: 'passed' },
    ]);
  });

  it('gets one review for twenty concurrent requests', async () => {
    const session = await begin(['document']);
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => session.step('proofs/document', asked)),
    );
    const taken = answers.filter(({ status }) => status < 300);
    const codes = answers.filter(({ status }) => status >= 300).map(({ body }) => body['code']);
    expect(taken).toHaveLength(1);
    expect(new Set(codes)).toEqual(new Set(['invalid_state']));
    expect((await read(session.id))['review_requests']).toHaveLength(1);
  });
});

describe.concurrent('a request for a review is refused', () => {
  it('if the link offers no review, and the proof stays open', async () => {
    const session = await begin(['document'], false);
    const refused = await session.step('proofs/document', asked);
    expect([refused.status, refused.body['code']]).toEqual([409, 'review_not_offered']);
    expect((await session.get()).body['proofs']).toMatchObject([{ status: 'ready', attempt: 0 }]);
  });

  it('before consent', async () => {
    const policy = { review_on_unsure: true };
    const session = await beginSession(await newLink({ required_proofs: ['document'], policy }));
    await session.step('open');
    await session.step('pair');
    const refused = await session.step('proofs/document', asked);
    expect([refused.status, refused.body['code']]).toEqual([409, 'consent_required']);
  });

  it.each<[string, Proof, unknown]>([
    ['for a proof without a camera', 'phone', asked],
    ['beside a picture', 'document', { ...asked, front: `ev_${'0'.repeat(26)}` }],
    ['without words', 'document', { review_request: { note: '  ' } }],
    ['with too many words', 'document', { review_request: { note: 'a'.repeat(1001) } }],
    ['as a text', 'document', { review_request: note }],
  ])('%s: 422', async (_name, proof, body) => {
    const session = await begin(['phone', 'document']);
    const refused = await session.step(`proofs/${proof}`, body);
    expect(refused.status).toBe(422);
    expect(refused.text).toContain('review_request');
  });
});
