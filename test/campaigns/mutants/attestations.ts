import { readCertificate } from '../../../domain/pki/x509/certificate.ts';
import {
  keyDescriptionOid,
  readKeyDescription,
} from '../../../domain/proofs/device/android/key-description.ts';
import { readStatusList } from '../../../domain/proofs/device/android/status-list.ts';
import { verifyAndroidKeyAttestation } from '../../../domain/proofs/device/android/verify-android-key-attestation.ts';
import { readReceipt } from '../../../domain/proofs/device/apple/receipt.ts';
import { verifyAppleAssertion } from '../../../domain/proofs/device/apple/verify-apple-assertion.ts';
import { verifyAppleAttestation } from '../../../domain/proofs/device/apple/verify-apple-attestation.ts';
import * as android from '../../support/fixtures/devices/android-fixtures.ts';
import * as apple from '../../support/fixtures/devices/apple-fixtures.ts';
import { at, bytes } from '../../support/fixtures/passports/fixtures.ts';
import type { Parser } from './parser.ts';

const der = ['MalformedDer'];

/**
 * Parsers of what phones and their vendors submit: Apple objects, Android chains and status lists.
 */
export function attestationParsers(): Parser[] {
  const attestations = apple.vectors.map(({ attestation }) => bytes(attestation));
  const assertions = apple.vectors.flatMap((vector) =>
    vector.assertions.map(({ assertion }) => bytes(assertion)),
  );
  const receipts = apple.vectors.flatMap((vector) =>
    vector.refreshedReceipts.map(({ receipt }) => bytes(receipt)),
  );
  const firsts = attestations.map((attestation) => apple.partsOf(attestation).attStmt.receipt);
  const { input } = apple.mintAttestation();
  const { policy, input: asserted } = apple.mintAssertion();
  return [
    {
      name: 'apple-attestation',
      seeds: [...attestations, input.attestation],
      read: (attestation) =>
        verifyAppleAttestation(apple.policy, { ...input, attestation }, at).checks.length === 12,
      throws: [],
    },
    {
      name: 'apple-assertion',
      seeds: [...assertions, asserted.assertion],
      read: (assertion) =>
        verifyAppleAssertion(policy, { ...asserted, assertion }, at).checks.length === 5,
      throws: [],
    },
    { name: 'apple-receipt', seeds: [...receipts, ...firsts], read: readReceipt, throws: der },
    ...androidParsers(),
    {
      name: 'status-list',
      seeds: [Buffer.from(JSON.stringify(statusList))],
      read: (text) => readStatusList(JSON.parse(Buffer.from(text).toString())),
      throws: ['SyntaxError', 'MalformedStatusList'],
    },
  ];
}

const statusList = {
  entries: {
    '2c8cdddfd5e03bfc': { status: 'REVOKED', reason: 'KEY_COMPROMISE' },
    c8966fcb2fbb0d7a: { status: 'SUSPENDED', reason: 'SOFTWARE_FLAW', comment: 'x' },
  },
};

function androidParsers(): Parser[] {
  const minted = android.mint();
  const chains = [minted, ...android.vectors.map(({ chain }) => chain.map((one) => bytes(one)))];
  const leaves = chains.flatMap(([leaf]) => leaf ?? []);
  const descriptions = minted
    .map((one) => readCertificate(one).extensions.get(keyDescriptionOid)?.value)
    .flatMap((value) => value ?? []);
  return [
    {
      name: 'android-chain',
      seeds: leaves,
      read: (leaf) => android.judge([leaf, ...minted.slice(1)]).checks.length > 0,
      throws: [],
    },
    {
      name: 'android-tail',
      seeds: chains.flatMap((chain) => chain.slice(1)),
      read: (one) =>
        verifyAndroidKeyAttestation(
          { requireLocked: false },
          { chain: [...minted.slice(0, 1), one], challenge: android.challenge },
          at,
        ),
      throws: [],
    },
    {
      name: 'key-description',
      seeds: [android.description, ...descriptions],
      read: readKeyDescription,
      throws: der,
    },
    { name: 'android-cert', seeds: chains.flat(), read: readCertificate, throws: der },
  ];
}
