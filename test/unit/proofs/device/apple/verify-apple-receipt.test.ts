import { describe, expect, it } from 'vitest';
import { verifyAppleReceipt } from '../../../../../domain/proofs/device/apple/verify-apple-receipt.ts';
import {
  issueReceipt,
  renewReceipt,
  signReceipt,
  type ReceiptStatement,
} from '../../../../../simulator/apple/receipt.ts';
import { element, integer, octetString, sequence } from '../../../../../simulator/der.ts';
import {
  app,
  clientData,
  faults,
  foreign,
  mintAttestation,
  newPhone,
  partsOf,
  rootPem,
  roots,
} from '../../../../support/fixtures/devices/apple-fixtures.ts';
import { at, flipped } from '../../../../support/fixtures/passports/fixtures.ts';

const { phone, input } = mintAttestation();
const { x5c, receipt: genuine } = partsOf(input.attestation).attStmt;
const statement: ReceiptStatement = {
  appId: `${app.teamId}.${app.bundleId}`,
  attested: x5c[0] ?? new Uint8Array(),
  clientDataHash: new Uint8Array(32),
  type: 'ATTEST',
  environment: 'production',
  createdAt: at,
};
const policy = { ...app, publicKeySpki: phone.publicKeySpki, rootPem };
const judge = (receipt: Uint8Array, changes = {}, when = at): string =>
  faults(verifyAppleReceipt({ ...policy, ...changes }, { receipt }, when));
const issued = (changes: Partial<ReceiptStatement>, issuer = roots): Uint8Array =>
  issueReceipt(issuer, { ...statement, ...changes });
const day = (days: number): Date => new Date(at.getTime() + days * 24 * 3600_000);

it('a receipt passes when issued and when renewed, with its facts', () => {
  expect(judge(genuine)).toBe('passed');
  expect(Buffer.from(genuine).equals(phone.receipt())).toBe(true);
  const renewed = phone.receipt('RECEIPT', 12);
  const verdict = verifyAppleReceipt(policy, { receipt: renewed }, at);
  expect(faults(verdict)).toBe('passed');
  expect(verdict.facts).toEqual({
    type: 'RECEIPT',
    environment: 'production',
    created_at: at.toISOString(),
    not_before: day(1).toISOString(),
    expires_at: day(90).toISOString(),
    risk_metric: 12,
  });
  expect(judge(renewReceipt(roots, renewed, day(30), 3), {}, day(31))).toBe('passed');
});

it('a receipt passes when there is no key to compare with', () => {
  expect(judge(genuine, { publicKeySpki: undefined })).toBe('passed');
});

describe('each check of a receipt', () => {
  it('signature: fails for changed content, and for another key', () => {
    const at = Buffer.from(genuine).indexOf('production');
    expect(judge(flipped(genuine, at * 8))).toBe('signature_invalid at signature');
    const receiptSigner = { ...roots.receiptSigner, keyPem: foreign.receiptSigner.keyPem };
    expect(judge(issued({}, { ...roots, receiptSigner }))).toBe('signature_invalid at signature');
  });

  it('chain: fails for a foreign root, an untrusted root and a foreign intermediate', () => {
    expect(judge(issued({}, foreign))).toBe('chain_untrusted at chain');
    expect(judge(genuine, { rootPem: undefined })).toBe('chain_untrusted at chain');
    const broken = { ...roots, receiptCaPem: foreign.receiptCaPem };
    expect(judge(issued({}, broken))).toBe('chain_untrusted at chain');
  });

  it('chain: fails for a signer without the right to sign receipts, although its root is trusted', () => {
    const issuer = { ...roots, receiptSigner: roots.attestationCa };
    expect(judge(issued({}, issuer))).toBe('chain_untrusted at chain');
  });

  it('chain: fails for certificates that do not belong to it', () => {
    const issuer = { ...roots, receiptRootPem: foreign.receiptRootPem };
    expect(judge(issued({}, issuer))).toBe('chain_untrusted at chain');
  });

  it('chain: fails when the signer was not valid at the creation of the receipt', () => {
    for (const createdAt of [day(-2), day(11 * 365)]) {
      const expiresAt = day(12 * 365);
      expect(judge(issued({ createdAt, expiresAt }))).toBe('chain_untrusted at chain');
    }
  });

  it('chain: fails for an expired receipt', () => {
    expect(judge(genuine, {}, day(90))).toBe('passed');
    expect(judge(genuine, {}, new Date(day(90).getTime() + 1))).toBe('receipt_expired at chain');
    expect(judge(genuine, {}, new Date(Number.NaN))).toBe('receipt_expired at chain');
  });

  it('app_id: fails for another app', () => {
    expect(judge(issued({ appId: 'TRUSTCHECK.com.example.other' }))).toBe(
      'app_id_mismatch at app_id',
    );
  });

  it('public_key: fails for another key of the same app', () => {
    const { publicKeySpki } = newPhone();
    expect(judge(genuine, { publicKeySpki })).toBe('public_key_mismatch at public_key');
  });
});

describe('parse', () => {
  const field = (type: number, value: string): Buffer =>
    sequence(integer(type), integer(1), octetString(Buffer.from(value)));
  const fields = [
    field(2, statement.appId),
    sequence(integer(3), integer(1), octetString(statement.attested)),
    field(6, 'ATTEST'),
    field(7, 'production'),
    field(12, '2026-11-21T00:00:00.000Z'),
    field(21, '2027-02-19T00:00:00Z'),
  ];
  const signed = (...members: readonly Uint8Array[]) =>
    judge(signReceipt(roots, element(0x31, ...members)));

  it('accepts fields in any order, and unknown fields', () => {
    expect(signed(...fields)).toBe('passed');
    expect(signed(...fields.toReversed(), field(99, 'x'))).toBe('passed');
  });

  it('refuses a missing or repeated field, and invalid values', () => {
    const malformed = 'malformed at parse';
    for (const missing of fields.keys()) {
      expect(signed(...fields.toSpliced(missing, 1))).toBe(malformed);
    }
    expect(signed(...fields, field(6, 'RECEIPT'))).toBe(malformed);
    for (const instant of ['', 'now', '2026-11-21', '2026-13-21T00:00:00Z', '1795219200']) {
      expect(signed(...fields, field(19, instant))).toBe(malformed);
    }
    for (const metric of ['', '-1', '1.5', '1e3', '9999999999', 'x']) {
      expect(signed(...fields, field(17, metric))).toBe(malformed);
    }
    expect(judge(signReceipt(roots, clientData))).toBe(malformed);
  });

  it('reports an unreadable certificate of the key as malformed at public_key', () => {
    const strange = fields.with(1, field(3, 'no certificate'));
    expect(signed(...strange)).toBe('malformed at public_key');
  });
});

it('a receipt is refused when it was created more than five seconds after the check', () => {
  const after = (ms: number): string => judge(issued({ createdAt: new Date(at.getTime() + ms) }));
  expect(after(5_000)).toBe('passed');
  expect(after(5_001)).toBe('receipt_expired at chain');
});
