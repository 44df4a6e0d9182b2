import { decode, encode } from 'cbor2';
import { createPublicKey } from 'node:crypto';
import { expect, it } from 'vitest';
import { verifyAppleAssertion } from '../../../../../domain/proofs/device/apple/verify-apple-assertion.ts';
import { appExtensions } from '../../../../../simulator/apple/phone.ts';
import { newKey, spkiOf } from '../../../../../simulator/roots/apple.ts';
import {
  clientData,
  faults,
  judgeAssertion,
  mintAssertion,
  mintAttestation,
  newPhone,
} from '../../../../support/fixtures/devices/apple-fixtures.ts';
import { at } from '../../../../support/fixtures/passports/fixtures.ts';

it('consecutive assertions pass, each with its counter', () => {
  const phone = newPhone();
  for (const counter of [1, 2, 3]) {
    const { policy, input } = mintAssertion(phone);
    const verdict = verifyAppleAssertion({ ...policy, counterLast: counter - 1 }, input, at);
    expect(faults(verdict)).toBe('passed');
    expect(verdict.facts).toEqual({ counter });
  }
});

it('assertions continue with the key and counter of an earlier run', () => {
  const phone = newPhone();
  phone.assert(clientData);
  const again = newPhone({ saved: phone.save() });
  expect(again.keyId).toEqual(phone.keyId);
  const minted = mintAssertion(again);
  expect(judgeAssertion(minted, { publicKeySpki: phone.publicKeySpki, counterLast: 1 })).toBe(
    'passed',
  );
  expect(judgeAssertion(minted, { counterLast: 2 })).toBe('counter_replay at counter');
});

it('the authenticator data has 37 bytes, or more on iOS 27', () => {
  for (const [category, sizeBytes] of [
    [null, 37],
    [undefined, 37 + appExtensions(4).length],
  ] as const) {
    const { input } = mintAssertion(newPhone({ category }));
    const { authenticatorData } = decode<{ authenticatorData: Uint8Array }>(input.assertion);
    expect(authenticatorData).toHaveLength(sizeBytes);
  }
});

it('an assertion of another app is refused', () => {
  const minted = mintAssertion(newPhone(), { appId: 'TRUSTCHECK.com.example.other' });
  expect(judgeAssertion(minted)).toBe('app_id_mismatch at app_id');
});

it('an assertion by another key or over other data is refused', () => {
  const key = newKey('prime256v1');
  const invalid = 'signature_invalid at signature';
  expect(judgeAssertion(mintAssertion(newPhone(), { key }))).toBe(invalid);
  const publicKeySpki = spkiOf(createPublicKey(key));
  expect(judgeAssertion(mintAssertion(), { publicKeySpki })).toBe(invalid);
  expect(judgeAssertion(mintAssertion(), { clientData: Buffer.from('x') })).toBe(invalid);
});

it.each([
  [0, 0, 'counter_replay at counter'],
  [5, 5, 'counter_replay at counter'],
  [5, 4, 'counter_replay at counter'],
  [5, 6, 'passed'],
  [0x7fffffff, 0x80000000, 'passed'],
  [0x80000000, 0x7fffffff, 'counter_replay at counter'],
  [0xfffffffe, 0xffffffff, 'passed'],
  [0xffffffff, 0xffffffff, 'counter_replay at counter'],
])('after counter %i, counter %i is %s', (counterLast, counter, expected) => {
  expect(judgeAssertion(mintAssertion(newPhone(), { counter }), { counterLast })).toBe(expected);
});

it('an assertion is refused for its category, like an attestation', () => {
  const refused = 'category_refused at category';
  const development = mintAssertion(newPhone({ environment: 'development' }));
  expect(judgeAssertion(development)).toBe(refused);
  expect(judgeAssertion(development, { environment: 'development' })).toBe('passed');
  expect(judgeAssertion(development, { environment: undefined })).toBe(refused);
  expect(judgeAssertion(development, { categories: [3] })).toBe('passed');
  const older = mintAssertion(newPhone({ category: null }));
  expect(judgeAssertion(older)).toBe('passed');
  expect(judgeAssertion(older, { requireCategory: true })).toBe(refused);
});

it('an assertion is refused for its version when the policy names others', () => {
  const refused = 'bundle_version_refused at bundle_version';
  expect(judgeAssertion(mintAssertion(), { bundleVersions: ['1'] })).toBe('passed');
  expect(judgeAssertion(mintAssertion(), { bundleVersions: ['2'] })).toBe(refused);
  const older = mintAssertion(newPhone({ category: null }));
  expect(judgeAssertion(older, { bundleVersions: ['1'] })).toBe(refused);
});

it('an assertion is malformed with trailing bytes, missing parts or invalid extensions', () => {
  const minted = mintAssertion();
  const malformed = 'malformed at parse';
  const { assertion } = minted.input;
  const parts = decode<Record<string, Uint8Array>>(assertion);
  for (const changed of [
    Buffer.concat([assertion, Buffer.of(0)]),
    encode({ signature: parts['signature'] }),
    encode({ authenticatorData: parts['authenticatorData'] }),
    encode({ ...parts, signature: 'text' }),
    encode({ ...parts, authenticatorData: parts['authenticatorData']?.subarray(0, 36) }),
    encode([parts]),
    mintAttestation().input.attestation,
  ]) {
    expect(judgeAssertion(minted, { assertion: changed })).toBe(malformed);
  }
  for (const extensions of [Buffer.of(0), Buffer.of(0x80), Buffer.of(0xa0, 0xa0)]) {
    expect(judgeAssertion(mintAssertion(newPhone(), { extensions }))).toBe(malformed);
  }
});

it('an assertion is malformed without client data, or with a key that is not on P-256', () => {
  const minted = mintAssertion();
  const malformed = 'malformed at signature';
  expect(judgeAssertion(minted, { clientData: undefined })).toBe(malformed);
  expect(judgeAssertion(minted, { clientDataHash: Buffer.alloc(32) })).toBe(malformed);
  for (const publicKeySpki of [
    spkiOf(createPublicKey(newKey('secp384r1'))),
    Buffer.alloc(91),
    Buffer.alloc(0),
  ]) {
    expect(judgeAssertion(minted, { publicKeySpki })).toBe(malformed);
  }
});
