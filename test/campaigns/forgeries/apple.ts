import { X509Certificate } from 'node:crypto';
import { decode, encode } from 'cbor2';
import { verifyAppleAssertion } from '../../../domain/proofs/device/apple/verify-apple-assertion.ts';
import { verifyAppleAttestation } from '../../../domain/proofs/device/apple/verify-apple-attestation.ts';
import {
  receiptOrNull,
  verifyAppleReceipt,
} from '../../../domain/proofs/device/apple/verify-apple-receipt.ts';
import {
  partsOf,
  vectors,
  type AppleVector,
} from '../../support/fixtures/devices/apple-fixtures.ts';
import { bytes } from '../../support/fixtures/passports/fixtures.ts';
import {
  pairsOf,
  swapped,
  swappedOf,
  type Family,
  type Genuine,
  type Swap,
  type Validity,
} from './genuine.ts';

/** Attestations, assertions and receipts of real phones. */
export const appleForgeries = (): Family[] => [attestations(), assertions(), receipts()];

const none = new Uint8Array();
/** How far ahead of ours the clock of a receipt may be. */
const aheadMsMax = 5_000;
const policyOf = ({ teamId, bundleId, environment }: AppleVector) => ({
  teamId,
  bundleId,
  environment,
});

function attestations(): Family {
  const genuine = vectors.map(attestationOf);
  const swaps = pairsOf(genuine).flatMap(([of, other]) => mixed(of, other));
  return { genuine, swaps };
}

function attestationOf(vector: AppleVector): Genuine {
  const attestation = bytes(vector.attestation);
  const { attStmt, authData } = partsOf(attestation);
  const { x5c, receipt } = attStmt;
  const dated = x5c.map((der, index) => validityOf(der, `certificate ${index}`, 'both'));
  return {
    name: `attestation of ${vector.id}`,
    parts: {
      attestation,
      keyId: bytes(vector.keyId),
      clientDataHash: bytes(vector.clientDataHash),
    },
    inside: { attestation: [...x5c, receipt, authData] },
    at: new Date(vector.recordedAt),
    // A receipt is judged at the time when Apple made it.
    validities: [...dated, ...signersOf(receipt)],
    holds: (parts, at) => {
      const { attestation: object = none, keyId = none, clientDataHash = none } = parts;
      const input = { attestation: object, keyId, clientDataHash };
      return verifyAppleAttestation(policyOf(vector), input, at).verdict !== 'failed';
    },
  };
}

function validityOf(der: Uint8Array, name: string, ends: Validity['ends']): Validity {
  const { validFromDate: from, validToDate: to } = new X509Certificate(der);
  return { name, from, to, ends };
}

const signersOf = (receipt: Uint8Array): Validity[] =>
  (receiptOrNull(receipt)?.certificates ?? []).map(({ der }, index) =>
    validityOf(der, `receipt signer ${index}`, 'none'),
  );

/** Replaces every part of one attestation by that of another. */
function mixed(of: Genuine, other: Genuine): Swap[] {
  const [own, foreign] = [of, other].map(({ parts }) => partsOf(parts['attestation'] ?? none));
  if (!own || !foreign) return [];
  const [leaf = none, intermediate = none] = own.attStmt.x5c;
  const [otherLeaf = none, otherIntermediate = none] = foreign.attStmt.x5c;
  const withStatement = (statement: object) => ({
    ...own,
    attStmt: { ...own.attStmt, ...statement },
  });
  const objects: [string, unknown][] = [
    ['leaf', withStatement({ x5c: [otherLeaf, intermediate] })],
    ['chain', withStatement({ x5c: foreign.attStmt.x5c })],
    ['receipt', withStatement({ receipt: foreign.attStmt.receipt })],
    ['authData', { ...own, authData: foreign.authData }],
    ['statement', { ...own, attStmt: foreign.attStmt }],
  ];
  // Apple issues for many phones with one intermediate.
  if (Buffer.compare(intermediate, otherIntermediate) !== 0) {
    objects.push(['intermediate', withStatement({ x5c: [leaf, otherIntermediate] })]);
  }
  const name = (part: string): string => `${of.name} with the ${part} of ${other.name}`;
  const { attestation: _, ...besides } = of.parts;
  const words = Object.keys(besides).flatMap((part) => swapped(of, other, part) ?? []);
  const rewritten = objects.map(([part, object]): Swap => ({
    name: name(part),
    of,
    parts: { ...of.parts, attestation: encode(object) },
  }));
  return [...words, ...rewritten];
}

function assertions(): Family {
  const genuine = vectors.flatMap((vector) =>
    vector.assertions.map(({ assertion, clientDataHash, counter }): Genuine => {
      const object: Record<string, Uint8Array> = decode(bytes(assertion));
      const counterLast = counter - 1;
      // Our own record from the enrollment.
      const publicKeySpki = bytes(vector.publicKeySpki);
      return {
        name: `assertion ${counter} of ${vector.id}`,
        parts: {
          assertion: bytes(assertion),
          clientDataHash: bytes(clientDataHash),
        },
        inside: { assertion: Object.values(object) },
        at: new Date(vector.recordedAt),
        validities: [],
        holds: (parts, at) => {
          const { assertion: signed = none, clientDataHash: hash = none } = parts;
          const input = {
            assertion: signed,
            clientDataHash: hash,
            publicKeySpki,
          };
          const policy = { ...policyOf(vector), counterLast };
          return verifyAppleAssertion(policy, input, at).verdict !== 'failed';
        },
      };
    }),
  );
  return { genuine, swaps: swappedOf(genuine) };
}

function receipts(): Family {
  const genuine = vectors.flatMap((vector) =>
    vector.refreshedReceipts.map(({ receipt, recordedAt, fields }, index): Genuine => {
      const { teamId, bundleId, publicKeySpki: spki } = vector;
      const policy = { teamId, bundleId, publicKeySpki: bytes(spki) };
      const own: Validity = {
        name: 'receipt',
        from: new Date(Date.parse(fields.creationTime) - aheadMsMax),
        to: new Date(fields.expirationTime),
        ends: 'both',
      };
      return {
        name: `receipt ${index} of ${vector.id}`,
        parts: { receipt: bytes(receipt) },
        // One vector was recorded a minute before its creation time.
        at: new Date(Math.max(Date.parse(recordedAt), Date.parse(fields.creationTime))),
        validities: [own, ...signersOf(bytes(receipt))],
        holds: (parts, at) =>
          verifyAppleReceipt(policy, { receipt: parts['receipt'] ?? none }, at).verdict !==
          'failed',
      };
    }),
  );
  return { genuine, swaps: swappedOf(genuine).filter(({ name }) => !isOfOnePhone(name)) };
}

/** A phone has several receipts, each valid with its key. */
const isOfOnePhone = (name: string): boolean => {
  const [one, other] = [...name.matchAll(/receipt \d+ of (\S+)/g)].map(([, id]) => id);
  return one === other;
};
