import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { openClaims } from '../../../../activities/proofs/evidence/evidence-repository.ts';
import { imageReaders } from '../../../../activities/proofs/image-readers.ts';
import { readEvidenceFile } from '../../../../domain/judging/files.ts';
import { verifyAnyEvidence } from '../../../../domain/judging/verifiers.ts';
import { createDevice } from '../../../../simulator/device/device.ts';
import { phoneFailures, type PhoneFailure } from '../../../../simulator/failures/failures.ts';
import { phoneCheck } from '../../../../simulator/session/check.ts';
import { devTrust } from '../../../support/checks/phone.ts';
import { call, collecting, newLink, newNumber } from '../../../support/http/client.ts';
import { ownSealer } from '../../../support/keys/own-sealer.ts';
import { openTestDb } from '../../../support/platform/harness.ts';
import { ownPlatform } from '../../../support/platform/own-platform.ts';

const { own, databaseUrl } = ownPlatform();
const required_proofs = ['document'] as const;
const claims = [
  'full_name',
  'age_over_18',
  'document_type',
  'document_number',
  'issuing_country',
  'region',
];

async function runCheck(fail?: PhoneFailure) {
  const link = await call('PUT', `/v2/link/${own.app_id}`, {
    token: own.api_key,
    body: { required_proofs, requested_claims: claims, max_attempts: 1 },
  });
  const trust = await devTrust();
  return phoneCheck({
    link: String(link.body['url']),
    number: newNumber(),
    trust,
    device: createDevice({ platform: 'ios', trust, now: () => new Date() }),
    fail,
    say: () => undefined,
  });
}

/** Returns the document evidence of a session as it is exported, one file per line. */
async function filesOf(id: string): Promise<string[]> {
  const { text } = await call('GET', `/v2/trust-checks/${id}/evidence`, { token: own.api_key });
  return text.split('\n').filter((line) => line.includes('"kind":"document-image"'));
}

/** Expects the photograph to be stored apart, so that reading claims does not decrypt it. */
async function expectApart(id: string, image: Buffer): Promise<void> {
  const db = openTestDb(databaseUrl);
  const { rows } = await db.query<{ submission_id: string; sha256: string; sealed: number }>(
    `SELECT submission_id, sha256, length(image_sealed) AS sealed FROM evidence_images
     WHERE link_session_id = $1`,
    [id],
  );
  expect(rows).toMatchObject([{ sha256: createHash('sha256').update(image).digest('hex') }]);
  expect(rows[0]?.sealed).toBeGreaterThan(image.length);
  // The claims can be decrypted without the files.
  const submissionId = rows[0]?.submission_id ?? '';
  await db.query('UPDATE proof_submissions SET evidence_sealed = $2 WHERE submission_id = $1', [
    submissionId,
    Buffer.from('not what was sealed'),
  ]);
  const of = { accountId: own.account_id, submissionId };
  const kept = await openClaims({ db, sealer: ownSealer(db) }, of);
  expect(kept?.claims).toMatchObject({ full_name: 'ANNA MARIA ERIKSSON' });
  await db.query('UPDATE proof_submissions SET evidence_sealed = NULL WHERE submission_id = $1', [
    submissionId,
  ]);
  await db.end();
}

describe('a photographed passport', () => {
  it('passes, provides claims, and is verified again to the same verdict', async () => {
    const session = await runCheck();
    expect(session.proofs).toMatchObject([
      { type: 'document', status: 'passed', reason_code: null },
    ]);
    const id = session.link_session_id;
    const { body } = await call('GET', `/v2/trust-checks/${id}`, { token: own.api_key });
    expect(body['claims']).toEqual({
      full_name: 'ANNA MARIA ERIKSSON',
      age_over_18: true,
      document_type: 'passport',
      document_number: expect.stringMatching(/^[A-Z0-9]{6,9}$/),
      issuing_country: 'UTO',
    });
    const [file = ''] = await filesOf(id);
    const again = await verifyAnyEvidence(readEvidenceFile(Buffer.from(file)), imageReaders);
    expect([again.verdict, again.reason_code]).toEqual(['passed', null]);
    const image = Buffer.from(String(JSON.parse(file).input.front), 'base64');
    expect(image.includes('Exif')).toBe(false);
    await expectApart(id, image);
  });

  it.each([
    ['document_expired', 'document_expired'],
    ['document_unreadable', 'blur'],
  ] as const)('with %s fails with %s', async (fail, reason) => {
    const session = await runCheck(fail);
    expect(session).toMatchObject({ status: 'failed', reason_code: 'proof_failed' });
    expect(session.proofs).toMatchObject([
      { type: 'document', status: 'failed', reason_code: reason },
    ]);
    expect(phoneFailures[fail].reasons).toContain(reason);
  });
});

describe('photographs of a document', () => {
  it('must be given, uploaded before, and real images', async () => {
    const session = await collecting(await newLink({ required_proofs }));
    const missing = await session.step('proofs/document', {});
    expect([missing.status, missing.body['detail']]).toEqual([
      422,
      [{ loc: ['body', 'front'], msg: 'Field required', type: 'missing' }],
    ]);
    const unknown = await session.step('proofs/document', { front: `ev_${'0'.repeat(26)}` });
    expect([unknown.status, unknown.body['detail']]).toEqual([
      422,
      [expect.objectContaining({ loc: ['body', 'front'], type: 'evidence_unknown' })],
    ]);
    const path = `/v2/trust-checks/${session.id}/evidence/front.jpg`;
    const headers = { 'content-type': 'image/jpeg' };
    const uploaded = await call('PUT', path, {
      token: session.token,
      raw: '<svg xmlns="http://www.w3.org/2000/svg"/>',
      headers,
    });
    const judged = await session.step('proofs/document', { front: uploaded.body['evidence_id'] });
    expect([judged.status, judged.body['status'], judged.body['reason_code']]).toEqual([
      200,
      'requires_retry',
      'image_refused',
    ]);
  });
});
