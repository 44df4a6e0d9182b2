import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { PDFDocument } from 'pdf-lib';
import { describe, expect, it } from 'vitest';
import { gatherContent } from '../../../activities/affidavit/gather.ts';
import { verifyAffidavit } from '../../../activities/affidavit/verify.ts';
import { loadKeys } from '../../../activities/keys/directory/load-keys.ts';
import { readClaimsToken } from '../../../activities/tokens/claims-token.ts';
import { affidavitContent } from '../../../domain/affidavit/content.ts';
import { decodeJws, isSignedBy } from '../../../domain/tokens/jws.ts';
import { policyVersion } from '../../../domain/trust-checks/decide.ts';
import { createDevice } from '../../../simulator/device/device.ts';
import type { PhoneFailure } from '../../../simulator/failures/failures.ts';
import { phoneCheck } from '../../../simulator/session/check.ts';
import { devTrust } from '../../support/checks/phone.ts';
import { namedIn } from '../../support/fixtures/affidavits/named-in.ts';
import { call, newNumber, passedSession, withAffidavit } from '../../support/http/client.ts';
import { ownSealer } from '../../support/keys/own-sealer.ts';
import { ownStore } from '../../support/keys/own-store.ts';
import { eventually, openTestDb } from '../../support/platform/harness.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';

const { own, baseUrl, dataDir, databaseUrl } = ownPlatform();
const root = loadKeys(join(dataDir, 'keys')).root.certificate;

interface CheckRequest {
  readonly platform: 'ios' | 'android';
  readonly body: Record<string, unknown>;
  readonly fail?: PhoneFailure;
}

/** Runs a whole check with a phone, and returns its affidavit. */
async function affidavitOf({ platform, body, fail }: CheckRequest) {
  const link = await call('PUT', `/v2/link/${own.app_id}`, { token: own.api_key, body });
  const trust = await devTrust();
  const number = newNumber();
  const { link_session_id: id } = await phoneCheck({
    link: String(link.body['url']),
    number,
    trust,
    device: createDevice({ platform, trust, now: () => new Date() }),
    fail,
    say: () => undefined,
  });
  const path = `/v2/affidavits/${own.app_id}/${id}/download`;
  const location = await eventually('the affidavit', async () => {
    const { headers } = await call('GET', path, { token: own.api_key });
    return headers.get('location');
  });
  const pdf = Buffer.from(await (await fetch(location)).arrayBuffer());
  const document = await PDFDocument.load(pdf, { updateMetadata: false });
  const [attached] = document.getAttachments();
  const json = Buffer.from(attached?.data ?? []).toString('utf8');
  return { id, number, pdf, json, content: affidavitContent.parse(JSON.parse(json)) };
}

describe.each(['ios', 'android'] as const)('an affidavit of three proofs by %s', (platform) => {
  it('is valid and states the request, the consent, the proofs and the decision', async () => {
    const requested_claims = ['full_name', 'age_over_18', 'issuing_country'];
    const { id, number, pdf, json, content } = await affidavitOf({
      platform,
      body: {
        title: 'Opening of an account',
        reference_id: 'contract-815',
        requested_claims,
        matching_params: { full_name: 'Anna Eriksson' },
        policy: { allowed_countries: ['UTO'] },
      },
    });
    expect(await verifyAffidavit(pdf, [root], new Date())).toMatchObject({
      result: 'valid',
      facts: { development: true, pades_level: 'PAdES-B-LTA' },
    });
    expect(content.statement[0]).toContain('simulated devices and documents');
    expect(content).toMatchObject({
      livemode: true,
      development: true,
      subject: {
        poly_user_id: expect.stringMatching(/^pu_/),
        claims: { full_name: 'ANNA MARIA ERIKSSON', age_over_18: 'true', issuing_country: 'UTO' },
      },
      requester: { app_id: own.app_id, purpose: 'Opening of an account' },
      consent: { tos_version: '1', claims: requested_claims },
      session: { link_session_id: id, workflow_id: `trust-check/${id}`, client: 'mobile' },
      decision: {
        outcome: 'passed',
        reason_code: null,
        reviewed: false,
        level: 'substantial',
        rule: null,
      },
      matching: { full_name: 'match' },
      policy: { version: policyVersion, rules: { allowed_countries: 'UTO' } },
      device: {
        platform,
        attestation: platform === 'ios' ? 'app_attest' : 'key_attestation',
        verdict: 'passed',
      },
      keys: { subject_kid: expect.stringMatching(/^[\w-]{43}$/) },
    });
    expect(Object.keys(content.subject.claims)).toHaveLength(3);
    const keys = loadKeys(join(dataDir, 'keys'));
    const token = decodeJws(content.verified_claims_token ?? '', 'affidavit-claims+jwt');
    expect(token && (await isSignedBy(token, keys.tokens.publicKey))).toBe(true);
    expect(token?.claims).toMatchObject({
      iss: baseUrl,
      sub: content.subject.poly_user_id,
      jti: content.affidavit_id,
      iat: Math.floor(Date.parse(content.issued_at) / 1000),
      cnf: { jkt: content.keys.subject_kid },
      verified_claims: [
        { claims: { name: 'ANNA MARIA ERIKSSON', age_over_18: true, issuing_country: 'UTO' } },
      ],
    });
    // The claims token opens no session.
    const bundled = content.verified_claims_token ?? '';
    const issuedAt = new Date(content.issued_at);
    expect(await readClaimsToken(keys, baseUrl, bundled, issuedAt)).toBeNull();
    expect(Object.keys(content.device?.facts ?? {}).length).toBeGreaterThan(1);
    const proofs = content.proofs.map(({ type, method, status, provider }) => [
      type,
      method,
      status,
      provider,
    ]);
    expect(proofs).toEqual([
      ['phone', 'sms', 'passed', 'sms'],
      ['device', 'hwk', 'passed', platform === 'ios' ? 'app_attest' : 'key_attestation'],
      ['nfc_passport', 'vcrypt', 'passed', 'nfc'],
    ]);
    for (const proof of content.proofs) {
      expect(proof.evidence_sha256).toMatch(/^[0-9a-f]{64}$/);
      expect(proof.judged_at).not.toBeNull();
    }
    const [, device, chip] = content.proofs;
    expect(device?.checks).toContainEqual({ name: 'chain', result: 'ok' });
    expect(chip?.checks).toContainEqual({ name: 'active_auth', result: 'ok' });
    expect(chip?.facts).toMatchObject({ levels_passive: 'ok', levels_active: 'ok' });
    const events = content.timeline.map(({ event }) => event);
    expect([events.at(0), events.at(-1)]).toEqual(['trust_check.created', 'trust_check.passed']);
    expect(content.timeline).toContainEqual(
      expect.objectContaining({ event: 'proof.updated', state: 'nfc_passport: passed' }),
    );
    for (const secret of unasked(number)) expect(json).not.toContain(secret);
  });
});

describe('an affidavit of development', () => {
  const keys = loadKeys(join(dataDir, 'keys'));

  /** Returns whether the affidavit is marked as development, with or without development roots. */
  async function isMarked(id: string, hasDevelopmentRoots: boolean): Promise<boolean> {
    const db = openTestDb(databaseUrl);
    const sealer = ownSealer(db);
    const { rows } = await db.query('SELECT * FROM affidavits WHERE link_session_id = $1', [id]);
    const named = namedIn(keys, baseUrl, hasDevelopmentRoots);
    const given = { db, sealer, store: ownStore(), keys, baseUrl, ...named };
    const { development } = await gatherContent(given, rows[0]);
    await db.end();
    return development;
  }

  it.each([
    ['device', 'ios'],
    ['device', 'android'],
    ['nfc_passport', 'ios'],
  ] as const)(
    'results from a %s proof (%s) that leads to development roots',
    async (proof, platform) => {
      const body = { required_proofs: [proof] };
      const { id, content } = await affidavitOf({ platform, body });
      expect(content.proofs.map(({ type }) => type)).toEqual([proof]);
      expect(await isMarked(id, false)).toBe(true);
    },
  );

  it('results from configured development roots, but not from an SMS code alone', async () => {
    const session = await passedSession();
    await withAffidavit(session);
    expect(await isMarked(session.id, true)).toBe(true);
    expect(await isMarked(session.id, false)).toBe(false);
  });
});

/** Values that the proofs learned but no claim requested, and hashes of the guessable ones. */
function unasked(number: string): string[] {
  const plain = [number, number.slice(1), 'L898902C3', '1974-08-12'];
  const hashes = plain.map((text) => createHash('sha256').update(text).digest('hex'));
  return [...plain, ...hashes];
}

describe('an affidavit without requested claims', () => {
  it('contains no personal data, and its stored content is sealed', async () => {
    const { id, number, json, content } = await affidavitOf({ platform: 'ios', body: {} });
    expect(content.subject.claims).toEqual({});
    for (const secret of [...unasked(number), 'ERIKSSON', 'UTO', 'Utopia']) {
      expect(json).not.toContain(secret);
    }
    const db = openTestDb(databaseUrl);
    const { rows } = await db.query(
      `SELECT a::text AS row, encode(content_sealed, 'escape') AS sealed FROM affidavits a
       WHERE link_session_id = $1`,
      [id],
    );
    await db.end();
    expect(rows).toHaveLength(1);
    expect(rows[0].sealed).not.toContain('trustcheck-affidavit');
    expect(rows[0].row).not.toContain(number);
  });
});

describe('an affidavit of a failed check', () => {
  it('shows the failed check of the passport, and the passed proofs before it', async () => {
    const { pdf, content } = await affidavitOf({
      platform: 'ios',
      body: { requested_claims: ['full_name'] },
      fail: 'tamper',
    });
    expect(await verifyAffidavit(pdf, [root], new Date())).toMatchObject({ result: 'valid' });
    expect(content.decision).toMatchObject({ outcome: 'failed', reason_code: 'proof_failed' });
    expect(content.proofs.at(-1)).toMatchObject({
      type: 'nfc_passport',
      status: 'failed',
      reason_code: 'dg_hash_mismatch',
    });
    expect(content.proofs.at(-1)?.checks).toContainEqual({ name: 'dg_hashes', result: 'failed' });
    // Data of a failed passport proof are no claims.
    expect(content.subject.claims).toEqual({});
  });
});
