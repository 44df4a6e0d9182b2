import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { readAttestation } from '../../../../../domain/proofs/device/apple/apple-attestation.ts';
import { appAttestationRootPem } from '../../../../../domain/proofs/device/apple/apple-roots.ts';
import { verifyAppleAssertion } from '../../../../../domain/proofs/device/apple/verify-apple-assertion.ts';
import { verifyAppleAttestation } from '../../../../../domain/proofs/device/apple/verify-apple-attestation.ts';
import { verifyAppleReceipt } from '../../../../../domain/proofs/device/apple/verify-apple-receipt.ts';
import { bytes, results } from '../../../../support/fixtures/passports/fixtures.ts';
import {
  faults,
  rootPem as developmentPem,
  vectors,
  type AppleVector,
} from '../../../../support/fixtures/devices/apple-fixtures.ts';

const appOf = ({ teamId, bundleId }: AppleVector) => ({ teamId, bundleId });
const policyOf = (vector: AppleVector) => ({
  ...appOf(vector),
  environment: vector.environment,
});
const inputOf = (vector: AppleVector) => ({
  attestation: bytes(vector.attestation),
  keyId: bytes(vector.keyId),
  clientDataHash: bytes(vector.clientDataHash),
});
const factsOf = (fields: AppleVector['receiptFields']) => ({
  type: fields.type,
  environment: fields.environment,
  created_at: fields.creationTime,
  ...(fields.notBefore ? { not_before: fields.notBefore } : {}),
  expires_at: fields.expirationTime,
  ...(fields.riskMetric ? { risk_metric: Number(fields.riskMetric) } : {}),
});
const shiftedMs = (instant: string, ms: number) => new Date(Date.parse(instant) + ms);
const named = vectors.map((vector): [string, AppleVector] => [vector.id, vector]);

it('the vectors are seven attestations, four assertions and nine receipts', () => {
  expect(vectors).toHaveLength(7);
  expect(vectors.flatMap(({ assertions }) => assertions)).toHaveLength(4);
  expect(vectors.flatMap(({ refreshedReceipts }) => refreshedReceipts)).toHaveLength(9);
});

describe.each(named)('%s', (_, vector) => {
  const policy = policyOf(vector);
  const input = inputOf(vector);
  const at = new Date(vector.recordedAt);
  const judged = (
    changes: Partial<typeof policy & typeof input & { clientData: Uint8Array }>,
    when = at,
  ): string =>
    faults(verifyAppleAttestation({ ...policy, ...changes }, { ...input, ...changes }, when));

  it('passes on the day it was recorded, with the recorded facts', () => {
    const verdict = verifyAppleAttestation(policy, input, at);
    expect(verdict.facts).toEqual({
      public_key_spki: vector.publicKeySpki,
      environment: vector.environment,
      os_version: vector.osVersion,
      receipt: factsOf(vector.receiptFields),
    });
    expect(verdict.verdict).toBe('passed');
    expect(results(verdict)).toEqual({
      parse: 'ok',
      chain: 'ok',
      dates: 'ok',
      nonce: 'ok',
      key_id: 'ok',
      app_id: 'ok',
      counter: 'ok',
      environment: 'ok',
      credential_id: 'ok',
      public_key: 'ok',
      category: 'skipped',
      receipt: 'ok',
    });
  });

  it('counts as production when development roots are trusted as well', () => {
    const rootPem = `${appAttestationRootPem}\n${developmentPem}`;
    const verdict = verifyAppleAttestation({ ...policy, rootPem }, input, at);
    expect([verdict.verdict, verdict.facts['development_root']]).toEqual(['passed', undefined]);
  });

  it('passes with the client data in place of its hash', () => {
    const clientData = bytes(vector.clientData);
    const hash = createHash('sha256').update(clientData).digest('base64');
    expect(hash).toBe(vector.clientDataHash);
    const { clientDataHash: _hash, ...rest } = input;
    const verdict = verifyAppleAttestation(policy, { ...rest, clientData }, at);
    expect(verdict.verdict).toBe('passed');
    expect(judged({ clientData })).toBe('passed');
  });

  it('is valid from the first to the last second of its certificate', () => {
    expect(judged({}, new Date(vector.leafNotBefore))).toBe('passed');
    expect(judged({}, new Date(vector.leafNotAfter))).toBe('passed');
    expect(judged({}, shiftedMs(vector.leafNotBefore, -1))).toBe('cert_expired at dates');
    expect(judged({}, shiftedMs(vector.leafNotAfter, 1))).toBe('cert_expired at dates');
    expect(judged({}, new Date('2026-11-21T00:00:00Z'))).toBe('cert_expired at dates');
    expect(judged({}, new Date(Number.NaN))).toBe('cert_expired at dates');
  });

  it('is refused for another environment, app, key id or challenge', () => {
    const environment = policy.environment === 'production' ? 'development' : 'production';
    expect(judged({ environment })).toBe('environment_mismatch at environment, receipt');
    expect(judged({ bundleId: 'com.example.other' })).toBe('app_id_mismatch at app_id, receipt');
    expect(judged({ teamId: '0000000000' })).toBe('app_id_mismatch at app_id, receipt');
    expect(judged({ keyId: Buffer.alloc(32) })).toBe('key_id_mismatch at key_id, credential_id');
    const clientDataHash = Buffer.alloc(32, 1);
    expect(judged({ clientDataHash })).toBe('nonce_mismatch at nonce, receipt');
    expect(judged({ clientData: Buffer.from('x') })).toMatch(/^malformed at parse/);
    expect(judged({ clientDataHash: bytes(vector.clientData).subarray(0, 24) })).toMatch(
      /^malformed at parse/,
    );
  });

  it('contains a receipt that passes by itself', () => {
    const { receipt } = readAttestation(input.attestation);
    if (!receipt) throw new Error('no receipt');
    const held = { ...appOf(vector), publicKeySpki: bytes(vector.publicKeySpki) };
    const verdict = verifyAppleReceipt(held, { receipt }, at);
    expect(verdict.facts).toEqual(factsOf(vector.receiptFields));
    expect(verdict.verdict).toBe('passed');
    expect(Object.keys(results(verdict)).join(' ')).toBe('parse signature chain app_id public_key');
    const expiry = vector.receiptFields.expirationTime;
    expect(faults(verifyAppleReceipt(held, { receipt }, new Date(expiry)))).toBe('passed');
    expect(faults(verifyAppleReceipt(held, { receipt }, shiftedMs(expiry, 1)))).toBe(
      'receipt_expired at chain',
    );
  });

  it('passes its assertions, and fails with other data, another key, app or counter', () => {
    for (const { assertion, counter, ...hashed } of vector.assertions) {
      const judgedAs = (changes: Record<string, unknown>) =>
        verifyAppleAssertion(
          { ...policy, counterLast: counter - 1, ...changes },
          {
            assertion: bytes(assertion),
            publicKeySpki: bytes(vector.publicKeySpki),
            clientData: bytes(hashed.clientData),
            ...changes,
          },
          at,
        );
      expect(judgedAs({ clientDataHash: bytes(hashed.clientDataHash) }).verdict).toBe('passed');
      expect(judgedAs({}).facts).toEqual({ counter });
      expect(Object.keys(results(judgedAs({}))).join(' ')).toBe(
        'parse app_id signature counter category',
      );
      const other = vectors.find(({ id }) => id !== vector.id)?.publicKeySpki ?? '';
      expect(faults(judgedAs({ publicKeySpki: bytes(other) }))).toBe(
        'signature_invalid at signature',
      );
      expect(faults(judgedAs({ clientData: Buffer.from('x') }))).toBe(
        'signature_invalid at signature',
      );
      expect(faults(judgedAs({ counterLast: counter }))).toBe('counter_replay at counter');
      expect(faults(judgedAs({ teamId: '0000000000' }))).toBe('app_id_mismatch at app_id');
    }
  });

  it('passes the receipts that Apple renewed, with their facts', () => {
    for (const { receipt, recordedAt, fields } of vector.refreshedReceipts) {
      // One was recorded a minute before Apple created it.
      const when = Math.max(Date.parse(recordedAt), Date.parse(fields.creationTime));
      const judgedAs = (changes: { publicKeySpki?: Uint8Array; teamId?: string } = {}) =>
        verifyAppleReceipt(
          { ...appOf(vector), publicKeySpki: bytes(vector.publicKeySpki), ...changes },
          { receipt: bytes(receipt) },
          new Date(when),
        );
      expect(judgedAs().facts).toEqual(factsOf(fields));
      expect(judgedAs().verdict).toBe('passed');
      expect(faults(judgedAs({ teamId: '0000000000' }))).toBe('app_id_mismatch at app_id');
      const other = vectors.find(({ id }) => id !== vector.id)?.publicKeySpki ?? '';
      expect(faults(judgedAs({ publicKeySpki: bytes(other) }))).toBe(
        'public_key_mismatch at public_key',
      );
    }
  });
});
