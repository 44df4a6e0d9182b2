import type { Client } from '@temporalio/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { maskPhoneNumber } from '../../../../domain/proofs/phone/phone-number.ts';
import {
  submitProofUpdate,
  trustCheckWorkflowId,
} from '../../../../workflows/trust-check/messages.ts';
import { leadingTo } from '../../../support/checks/leading-to.ts';
import type { Device } from '../../../../simulator/device/device.ts';
import { asPhone, enrolledPhone, signedCall } from '../../../support/checks/phone.ts';
import { insertUnsure } from '../../../support/checks/unsure.ts';
import {
  beginSession,
  call,
  codeFor,
  collecting,
  done,
  newLink,
  newNumber,
  passedSession,
  withAffidavit,
  type Answer,
  type CallOptions,
} from '../../../support/http/client.ts';
import { ownSealer } from '../../../support/keys/own-sealer.ts';
import { eventually, openTestDb } from '../../../support/platform/harness.ts';
import { ownPlatform } from '../../../support/platform/own-platform.ts';
import { connectClient } from '../../../support/platform/temporal-client.ts';
import { columnsLike, currentTransaction, placesOf, sealedColumns } from '../submit/places.ts';

const { own, databaseUrl } = ownPlatform();
leadingTo('https://redirect.example');
const token = own.api_key;
const db = openTestDb(databaseUrl);
const sealer = ownSealer(db);
let client: Client;

beforeAll(async () => {
  client = await connectClient();
});
afterAll(async () => {
  await client.connection.close();
  await db.end();
});

const at = (id: string, what = ''): string => `/v2/trust-checks/${id}${what}`;
const redact = (id: string): Promise<Answer> => call('POST', at(id, '/redact'), { token });
const rawOf = async (link: string): Promise<Record<string, unknown>> =>
  (await call('GET', `/v2/raw/${link}`, { token })).body;

let lastName = 0;
/** Returns a text that occurs nowhere else in the database. */
function canary(kind: string): string {
  lastName += 1;
  return `${kind}-${process.pid}-${Date.now()}-${lastName}`;
}

/** Sends an emailed link; returns it with the token from the mail. */
async function mailed(email: string, body: Record<string, unknown>) {
  const request = { token, ...withKey({ send_to_email: email, ...body }) };
  const path = `/v2/link/send/${own.app_id}`;
  const sent = await done('the sending', () => call('POST', path, request));
  const mail = await eventually('the invitation', async () => {
    const found = await call('GET', '/outbox/messages?limit=200');
    const items = found.body['items'] as { recipient: string; text: string }[];
    return items.find(({ recipient }) => recipient === email);
  });
  const linkToken = /#t=([A-Za-z0-9_-]{22})/.exec(mail.text)?.[1];
  return { link: String(sent.body['link_uuid']), linkToken };
}

/** Returns unique personal data for an emailed link and the check on it. */
const newPerson = () => ({
  number: newNumber(),
  email: `${canary('mail')}@example.test`,
  name: canary('Recipient'),
  note: canary('note'),
  expected: canary('Expected'),
  custom: canary('custom'),
  file: canary('file'),
  opinion: canary('opinion'),
  back: canary('back'),
  detail: canary('detail'),
  trouble: canary('trouble'),
});

/** Returns a reviewed check with personal data in every place where a check can store it. */
async function planted() {
  const since = await currentTransaction(db);
  const person = newPerson();
  const { link, linkToken } = await mailed(person.email, {
    recipient_name: person.name,
    reference_note: person.note,
    matching_params: { full_name: person.expected, custom: { department: person.custom } },
    required_proofs: ['phone', 'nfc_passport'],
    requested_claims: ['phone_number'],
    policy: { review_on_unsure: true },
    redirect_url: 'https://redirect.example/',
  });
  const report = withKey({ description: person.trouble });
  await done('a ticket', () => call('POST', `/v2/ticket/${own.app_id}/${link}`, report));
  const return_to = `https://redirect.example/${person.back}`;
  const begin = withKey({ link_uuid: link, client: 'mobile', link_token: linkToken, return_to });
  const device = await enrolledPhone();
  const { body } = await asPhone(device, () =>
    done('begin', () => call('POST', '/v2/trust-checks', begin)),
  );
  const [id, check] = [String(body['link_session_id']), String(body['check_token'])];
  const code = { token: check, ...withKey({ phone_number: person.number }) };
  await handIn({ id, check, code, device }, person);
  const checks = [{ name: 'expiry', result: 'failed', detail: person.detail }];
  const { rowCount } = await db.query(
    `UPDATE proof_submissions SET verdict = verdict || $2
     WHERE link_session_id = $1 AND judged_at IS NOT NULL`,
    [id, JSON.stringify({ checks })],
  );
  expect(rowCount).toBe(1);
  await approve(id, person.opinion);
  const texts = [...Object.values(person), person.number.slice(1), maskPhoneNumber(person.number)];
  return { about: { id, link, accountId: own.account_id, since }, texts, begin, code, device };
}

type Person = ReturnType<typeof newPerson>;

interface Started {
  readonly id: string;
  /** The check token. */
  readonly check: string;
  readonly code: CallOptions;
  readonly device: Device;
}

/** Brings a check to the verdict of its phone proof, with an uploaded file. */
async function handIn({ id, check, code, device }: Started, person: Person): Promise<void> {
  const ofCheck = (body: unknown) => ({ token: check, ...withKey(body) });
  const pairing = ofCheck({});
  await done('pair', () => signedCall(device, 'POST', at(id, '/pair'), pairing));
  const consent = ofCheck({ accepted: true, tos_version: '1', claims: ['phone_number'] });
  await done('consent', () => call('POST', at(id, '/consent'), consent));
  await upload(id, check, person.file);
  await done('the code', () => call('POST', at(id, '/phone/code'), code));
  const proof = ofCheck({ code: await codeFor(person.number) });
  const judged = await done('the proof', () =>
    signedCall(device, 'POST', at(id, '/proofs/phone'), proof),
  );
  expect(judged.body['status']).toBe('passed');
}

const upload = (id: string, check: string, name: string): Promise<Answer> =>
  done('the upload', () =>
    call('PUT', at(id, `/evidence/${name}`), {
      token: check,
      raw: Buffer.from('89504e470d0a1a0a00', 'hex'),
      headers: { 'content-type': 'application/octet-stream' },
    }),
  );

const withKey = (body: unknown) => ({ body, headers: { 'idempotency-key': canary('key') } });

/** Brings a check into review with an inconclusive proof, and approves it. */
async function approve(id: string, note: string): Promise<void> {
  const submission_id = await insertUnsure(databaseUrl, id);
  await client.workflow
    .getHandle(trustCheckWorkflowId(id))
    .executeUpdate(submitProofUpdate, { args: [{ proof: 'nfc_passport', submission_id }] });
  const review = { token, ...withKey({ decision: 'approve', note }) };
  const approved = await done('the review', () => call('POST', at(id, '/review'), review));
  expect(approved.body['status']).toBe('passed');
  await eventually('the affidavit', async () => {
    const found = await call('GET', at(id), { token });
    return Object(found.body['affidavit']).status === 'available';
  });
}

describe('redaction', () => {
  it('lists every sealed column', async () => {
    expect(await columnsLike(db, '%\\_sealed')).toEqual(Object.keys(sealedColumns).toSorted());
  });

  it('removes all personal data from every table', async () => {
    const { about, texts, begin, code, device } = await planted();
    const before = await placesOf({ db, sealer }, texts, about);
    const found = (text: string): boolean => before.some((place) => place.endsWith(`: ${text}`));
    expect(texts.filter((text) => !found(text))).toEqual([]);
    const places = before.map((place) => place.split(':')[0] ?? '');
    expect([...new Set(places)].toSorted((a, b) => (a < b ? -1 : 1))).toEqual([
      'affidavits.content_sealed',
      'evidence',
      'idempotency_keys.response_sealed',
      'links.matching_sealed',
      'links.recipient_sealed',
      'outbox_messages',
      'phone_codes.number_sealed',
      'proof_submissions',
      'proof_submissions.claims_sealed',
      'proof_submissions.evidence_sealed',
      'reviews.note_sealed',
      'tickets.report_sealed',
      'trust_checks',
      'trust_checks.claims_sealed',
      'trust_checks.matching_sealed',
    ]);
    expect((await rawOf(about.link))['matching_params']).not.toBeNull();

    const redacted = await redact(about.id);
    expect([redacted.status, redacted.body['redaction_status']]).toEqual([200, 'redacted']);
    expect(await placesOf({ db, sealer }, texts, about)).toEqual([]);
    expect(await rawOf(about.link)).toMatchObject({ status: 'consumed', matching_params: null });

    // Removed answers are not replayed, and their requests are not executed again.
    const begun = await asPhone(device, () => call('POST', '/v2/trust-checks', begin));
    expect(begun.body).toMatchObject({ link_session_id: about.id, redaction_status: 'redacted' });
    expect(begun.headers.get('idempotent-replayed')).toBeNull();
    const sent = await call('POST', at(about.id, '/phone/code'), code);
    expect([sent.status, sent.body['code']]).toEqual([409, 'invalid_state']);
    expect((await rawOf(about.link))['sessions']).toHaveLength(1);
    expect(await placesOf({ db, sealer }, texts, about)).toEqual([]);
  });

  it('refuses submissions afterwards and stores none', async () => {
    const session = await collecting(await newLink());
    await done('cancel', () => session.lead('cancel'));
    expect((await redact(session.id)).status).toBe(200);
    const late = await session.step('proofs/phone', { code: '123456' });
    expect([late.status, late.body['code']]).toEqual([409, 'invalid_state']);
    const { rows } = await db.query('SELECT 1 FROM proof_submissions WHERE link_session_id = $1', [
      session.id,
    ]);
    expect(rows).toEqual([]);
  });

  it('expires a free single-use link, and is refused while a check runs on it', async () => {
    const expected = canary('Expected');
    const link = await newLink({ single_use: true, matching_params: { full_name: expected } });
    const first = await beginSession(link);
    await done('cancel', () => first.lead('cancel', { reason: 'not now' }));
    const second = await beginSession(link);
    const early = await redact(first.id);
    expect([early.status, early.body['code']]).toEqual([409, 'invalid_state']);
    expect(await rawOf(link)).toMatchObject({
      status: 'reserved',
      matching_params: { full_name: expected },
    });
    await done('cancel', () => second.lead('cancel'));
    expect((await redact(first.id)).status).toBe(200);
    expect(await rawOf(link)).toMatchObject({ status: 'expired', matching_params: null });
    const begun = await call('POST', '/v2/trust-checks', {
      body: { link_uuid: link, client: 'web' },
    });
    expect([begun.status, begun.body['code']]).toEqual([409, 'link_not_active']);
    const { body } = await call('GET', `/v2/events?stream=link:${link}`, { token });
    const last = (body['items'] as { type: string; previous: unknown }[]).at(-1);
    expect(last).toMatchObject({ type: 'link.expired', previous: { status: 'active' } });
  });

  it('does not change a reusable link', async () => {
    const matching_params = { full_name: canary('Expected') };
    const session = await passedSession({ matching_params, max_uses: 5 });
    const { body } = await withAffidavit(session);
    expect((await redact(session.id)).status).toBe(200);
    const raw = await rawOf(String(body['link_uuid']));
    expect(raw).toMatchObject({ status: 'active', matching_params });
    const { rows } = await db.query(
      'SELECT matching_sealed FROM trust_checks WHERE link_session_id = $1',
      [session.id],
    );
    expect(rows).toEqual([{ matching_sealed: null }]);
  });
});
