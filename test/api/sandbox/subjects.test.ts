import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sandboxSubjects, type SandboxSubject } from '../../../domain/names.ts';
import { asPhone, enrolledPhone, signedCall } from '../../support/checks/phone.ts';
import {
  beginSession,
  call,
  collecting,
  newLink as newLiveLink,
  withAffidavit,
  type Answer,
  type Session,
} from '../../support/http/client.ts';
import { newTrialAccount } from '../../support/people/accounts.ts';
import { openTestDb } from '../../support/platform/harness.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';

const { own, databaseUrl } = ownPlatform();
const db = openTestDb(databaseUrl);
const all = ['phone', 'device', 'nfc_passport'];
const expected = { full_name: 'Jan Novák', phone_number: '+4915112345678', email: 'a@b.example' };
let account: Awaited<ReturnType<typeof newTrialAccount>>;
let token: string;

beforeAll(async () => {
  account = await newTrialAccount(`subjects-${process.pid}`);
  token = account.test_key;
});
afterAll(() => db.end());

const createLink = (body: Record<string, unknown>): Promise<Answer> =>
  call('PUT', `/v2/link/${account.app_id}`, { token, body: { required_proofs: all, ...body } });
async function newLink(body: Record<string, unknown> = {}): Promise<string> {
  const { status, body: link, text } = await createLink(body);
  if (status !== 200) throw new Error(`no link: ${text}`);
  return String(link['link_uuid']);
}
const begin = (link_uuid: string, more: Record<string, unknown>): Promise<Answer> =>
  call('POST', '/v2/trust-checks', { body: { link_uuid, client: 'web', ...more } });
const advance = (link_session_id: string, seconds = 1): Promise<Answer> =>
  call('POST', '/v2/sandbox/advance', { token, body: { link_session_id, seconds } });
const read = async (session: Session) =>
  (await call('GET', `/v2/trust-checks/${session.id}`, { token })).body;
const faultsIn = ({ status, body }: Answer) => [
  status,
  ((body['detail'] ?? []) as { loc: string[]; type: string }[]).map(({ loc, type }) => [
    loc.join('.'),
    type,
  ]),
];

/** Begins a check without a phone and brings it to the state `collecting`. */
async function collectingAs(sandbox_subject: SandboxSubject, link: Record<string, unknown> = {}) {
  const session = await beginSession(await newLink(link), 'web', { sandbox_subject });
  await session.lead('open');
  await session.lead('pair');
  const claims = ['full_name', 'phone_number'];
  await session.lead('consent', { accepted: true, tos_version: '1', claims });
  return session;
}

async function evidenceFor({ id, token: check }: Session): Promise<Record<string, unknown>> {
  const path = `/v2/trust-checks/${id}/evidence/anything`;
  const headers = { 'content-type': 'application/octet-stream' };
  const { body } = await call('PUT', path, { token: check, raw: 'anything', headers });
  const file = body['evidence_id'];
  return {
    phone: { code: '000000' },
    device: {},
    nfc_passport: { sod: file, data_groups: { DG1: file } },
  };
}

/** Submits every proof, with all its attempts, until the check is decided. */
async function handInAll(session: Session, proofs: readonly string[] = all): Promise<Answer[]> {
  const evidence = await evidenceFor(session);
  const answers: Answer[] = [];
  for (const proof of proofs) {
    let answer: Answer;
    do {
      answer = await session.lead(`proofs/${proof}`, evidence[proof]);
      answers.push(answer);
    } while (answer.body['status'] === 'requires_retry');
    if (answer.body['status'] === 'failed' || answer.status !== 200) break;
  }
  return answers;
}

const failures = [
  // subject, proof, its reason, attempts, reason of the check
  ['wrong_code', 'phone', 'code_wrong', 3, 'max_attempts_reached'],
  ['emulator', 'device', 'software_key', 1, 'attestation_failed'],
  ['document_expired', 'nfc_passport', 'document_expired', 1, 'proof_failed'],
  ['document_unreadable', 'nfc_passport', 'malformed', 3, 'proof_failed'],
  ['nfc_clone', 'nfc_passport', 'aa_signature_invalid', 1, 'proof_failed'],
] as const;

describe('a sandbox_subject', () => {
  it('fails its proof and the check with its reason', async () => {
    const ended = failures.map(async ([subject, proof]) => {
      const session = await collectingAs(subject, { policy: { min_level: 'high' } });
      await handInAll(session, [...all.filter((each) => each !== proof), proof]);
      const { status, reason_code, sandbox_subject, proofs } = await read(session);
      return { status, reason_code, sandbox_subject, proofs };
    });
    const passed = {
      status: 'passed',
      reason_code: null,
      attempt: 1,
      max_attempts: 3,
      provider: 'sandbox',
      capture: 'browser',
      evidence_hash: null,
    };
    expect(await Promise.all(ended)).toEqual(
      failures.map(([subject, proof, reason_code, attempt, reason]) => ({
        status: 'failed',
        reason_code: reason,
        sandbox_subject: subject,
        proofs: all.map((type) => ({
          type,
          ...passed,
          ...(type === proof ? { status: 'failed', reason_code, attempt } : {}),
        })),
      })),
    );
  });

  it('passes with the expected values, up to a test affidavit', async () => {
    const asked = { requested_claims: ['full_name', 'phone_number'], matching_params: expected };
    const policy = { min_level: 'high', allowed_countries: ['DEU'], web_allowed: false };
    const session = await collectingAs('pass', { ...asked, policy });
    await handInAll(session);
    const { body } = await withAffidavit(session);
    expect(body).toMatchObject({
      status: 'passed',
      reason_code: null,
      sandbox: true,
      sandbox_subject: 'pass',
      claims: { full_name: expected.full_name, phone_number: expected.phone_number },
      verified_claims_token: null,
    });
    expect((await read(session))['matching']).toEqual({
      full_name: 'match',
      phone_number: 'match',
      email: 'not_checked',
    });
    const affidavit = body['affidavit'] as Record<string, string>;
    expect((await call('GET', `/verify/${affidavit['affidavit_id']}`)).text).toContain('TEST');
    const path = `/v2/trust-checks/${session.id}/events?limit=100`;
    const items = (await call('GET', path, { token })).body['items'] as Record<string, unknown>[];
    expect(items.map(({ type }) => type)).toEqual([
      'trust_check.created',
      'trust_check.opened',
      'trust_check.paired',
      'trust_check.consented',
      ...all.map(() => 'proof.updated'),
      'trust_check.processing',
      'trust_check.passed',
      'affidavit.available',
    ]);
    for (const event of items) {
      const data = { object: expect.objectContaining({ sandbox_subject: 'pass' }) };
      expect(event).toMatchObject({ livemode: false, data });
    }
    const { rows } = await db.query<{ checks: unknown }>(
      `SELECT verdict->'checks' AS checks FROM proof_submissions WHERE link_session_id = $1`,
      [session.id],
    );
    const check = { name: 'sandbox_subject', result: 'ok', detail: 'pass' };
    expect(rows.map(({ checks }) => checks)).toEqual(all.map(() => [check]));
  });

  it('proves nothing about a person: no claims token is issued', async () => {
    const device = await enrolledPhone();
    const link = await newLink({ required_proofs: ['nfc_passport'] });
    const pair = ({ id, token: check }: Session) =>
      signedCall(device, 'POST', `/v2/trust-checks/${id}/pair`, { token: check, body: {} });
    const session = await asPhone(device, () =>
      collecting(link, 'mobile', pair, { sandbox_subject: 'pass' }),
    );
    const evidence = await evidenceFor(session);
    const path = `/v2/trust-checks/${session.id}/proofs/nfc_passport`;
    const by = { token: session.token, body: evidence['nfc_passport'] };
    expect((await call('POST', path, by)).body['code']).toBe('device_not_paired');
    expect((await signedCall(device, 'POST', path, by)).body['status']).toBe('passed');
    expect((await session.get()).body).toMatchObject({
      status: 'passed',
      poly_user_id: device.enrolled?.polyUserId,
      verified_claims_token: null,
    });
  });

  it('mismatches the expected values, even if there are none', async () => {
    const some = await collectingAs('mismatch', {
      matching_params: { ...expected, full_name: 'Anna Maria Eriksson' },
    });
    const none = await collectingAs('mismatch', { required_proofs: ['phone'] });
    await Promise.all([handInAll(some), handInAll(none, ['phone'])]);
    expect(await read(some)).toMatchObject({
      status: 'failed',
      reason_code: 'mismatch',
      matching: { full_name: 'mismatch', phone_number: 'mismatch', email: 'not_checked' },
    });
    expect(await read(none)).toMatchObject({ status: 'failed', reason_code: 'mismatch' });
  });

  it.each([
    ['review_then_pass', 'passed', null, 'approve'],
    ['review_then_fail', 'failed', 'review_rejected', 'reject'],
  ] as const)('%s stays in review until time is advanced', async (subject, ...how) => {
    const [status, reason_code, decision] = how;
    const session = await collectingAs(subject, { matching_params: expected });
    await handInAll(session);
    expect((await read(session))['status']).toBe('in_review');
    expect((await advance(session.id)).body).toMatchObject({ status, reason_code });
    expect((await read(session))['reviews']).toEqual([
      expect.objectContaining({ reviewer: 'sandbox', decision, note: expect.any(String) }),
    ]);
    expect((await advance(session.id)).body['code']).toBe('invalid_state');
  });

  it('`abandon` refuses submissions and is abandoned after the timeout', async () => {
    const session = await collectingAs('abandon');
    const [refused] = await handInAll(session);
    expect([refused?.status, refused?.body['code']]).toEqual([409, 'invalid_state']);
    const over = await advance(session.id, 1_800);
    expect(over.body).toMatchObject({ status: 'abandoned', reason_code: 'idle_timeout' });
  });

  it('cannot be changed after it was first given', async () => {
    const link = await newLink({ sandbox_subject: 'pass', single_use: true });
    expect((await call('GET', `/v2/raw/${link}`, { token })).body['sandbox_subject']).toBe('pass');
    const first = await begin(link, {});
    const resume_token = String(first.body['resume_token']);
    const second = await begin(link, { sandbox_subject: 'wrong_code', resume_token });
    expect([second.status, second.body['code']]).toEqual([409, 'invalid_state']);
    for (const more of [{}, { sandbox_subject: 'pass' }]) {
      const again = await begin(link, { ...more, resume_token });
      expect([again.status, again.body['link_session_id'], again.body['sandbox_subject']]).toEqual([
        201,
        first.body['link_session_id'],
        'pass',
      ]);
    }
    // On a reusable link each check has its own.
    const many = await newLink({ sandbox_subject: 'pass' });
    expect((await begin(many, { sandbox_subject: 'emulator' })).body).toMatchObject({
      sandbox_subject: 'emulator',
    });
  });

  it('must be in the list and possible with the proofs of the link', async () => {
    const link = await newLink({ required_proofs: ['phone'] });
    const unknown = [422, [['body.sandbox_subject', 'invalid_value']]];
    for (const sandbox_subject of ['Pass', '', 'passed', 'pass ', 7, null, ['pass'], {}]) {
      for (const answer of [
        await begin(link, { sandbox_subject }),
        await createLink({ sandbox_subject }),
      ]) {
        expect(faultsIn(answer), JSON.stringify(sandbox_subject)).toEqual(unknown);
      }
    }
    const notAsked = [422, [['body.sandbox_subject', 'proof_not_asked']]];
    for (const sandbox_subject of ['face_mismatch', 'emulator', 'nfc_clone']) {
      expect(faultsIn(await begin(link, { sandbox_subject }))).toEqual(notAsked);
      const body = { sandbox_subject, required_proofs: ['phone'] };
      expect(faultsIn(await createLink(body))).toEqual(notAsked);
    }
    const kept = await newLink({ sandbox_subject: 'nfc_clone' });
    const fewer = { required_proofs: ['phone'] };
    const patched = await call('PATCH', `/v2/${kept}`, { token: account.api_key, body: fewer });
    expect(faultsIn(patched)).toEqual([422, [['body.required_proofs', 'proof_not_asked']]]);
  });

  it('is rejected in live mode and has no effect there', async () => {
    const live = [422, [['body.sandbox_subject', 'live_mode']]];
    const link = await newLiveLink();
    for (const sandbox_subject of sandboxSubjects) {
      expect(faultsIn(await begin(link, { sandbox_subject }))).toEqual(live);
    }
    const body = { required_proofs: ['phone'], sandbox_subject: 'pass' };
    const as = { token: own.api_key, body };
    expect(faultsIn(await call('PUT', `/v2/link/${own.app_id}`, as))).toEqual(live);
    const send_to_email = 'live@example.test';
    const sent = { ...as, body: { ...body, send_to_email } };
    expect(faultsIn(await call('POST', `/v2/link/send/${own.app_id}`, sent))).toEqual(live);
    // Even if the row contains a subject.
    const session = await collecting(link);
    const force = 'UPDATE trust_checks SET sandbox_subject = $2 WHERE link_session_id = $1';
    await db.query(force, [session.id, 'pass']);
    const judged = await session.lead('proofs/phone', { code: '000000' });
    expect(judged.body).toMatchObject({ status: 'requires_retry', reason_code: 'code_not_sent' });
  });
});
