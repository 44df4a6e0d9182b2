import { createPublicKey, verify, X509Certificate } from 'node:crypto';
import { readStatusList } from '../../../domain/proofs/device/android/status-list.ts';
import { verifyAndroidKeyAttestation } from '../../../domain/proofs/device/android/verify-android-key-attestation.ts';
import { readAttestation } from '../../../domain/proofs/device/apple/apple-attestation.ts';
import { sha256 } from '../../../domain/proofs/device/apple/authenticator-data.ts';
import { verifyAppleAssertion } from '../../../domain/proofs/device/apple/verify-apple-assertion.ts';
import { verifyAppleAttestation } from '../../../domain/proofs/device/apple/verify-apple-attestation.ts';
import { readCborMap, bytesAt } from '../../../domain/proofs/device/cbor.ts';
import { vectorOf } from '../../support/fixtures/devices/android-fixtures.ts';
import { vectors } from '../../support/fixtures/devices/apple-fixtures.ts';
import { bytes } from '../../support/fixtures/passports/fixtures.ts';

/** Evidence with the function that judges it, and one bare verification of a signature in it. */
export interface Judged {
  readonly name: string;
  readonly goalMs: number;
  readonly floors: readonly (() => boolean)[];
  readonly candidates: readonly (() => boolean)[];
}

/** Attestations, assertions and receipts of real phones. */
export const judgedDevices = (): readonly Judged[] => [
  { name: 'App Attest', goalMs: 15, ...appAttest() },
  { name: 'Android chain', goalMs: 10, ...androidChain() },
  { name: 'assertion', goalMs: 0.5, ...assertion() },
];

/** With the receipt inside. Bare: the leaf verified by its issuer. */
function appAttest(): Pick<Judged, 'floors' | 'candidates'> {
  const inputs = vectors.map((vector) => ({
    policy: {
      teamId: vector.teamId,
      bundleId: vector.bundleId,
      environment: vector.environment,
    },
    input: {
      attestation: bytes(vector.attestation),
      keyId: bytes(vector.keyId),
      clientDataHash: bytes(vector.clientDataHash),
    },
    at: new Date(vector.recordedAt),
  }));
  return {
    floors: inputs.map(({ input }) => {
      const { leaf, intermediate } = readAttestation(input.attestation);
      return bareChain([leaf?.der, intermediate?.der]);
    }),
    candidates: inputs.map(
      ({ policy, input, at }) =>
        () =>
          verifyAppleAttestation(policy, input, at).verdict === 'passed',
    ),
  };
}

/**
 * A chain fetched by the phone, with a status list that contains none of it. Bare: the leaf
 * verified by its issuer.
 */
function androidChain(): Pick<Judged, 'floors' | 'candidates'> {
  const pixel = vectorOf('Pixel 6');
  const chain = pixel.chain.map(bytes);
  const input = { chain, challenge: bytes(pixel.challenge ?? '') };
  const policy = {
    packages: ['at.asitplus.attestation_client'],
    signatureDigests: [bytes('NLl2LE1skNSEMZQMV73nMUJYsmQg7+Fqx/cnTw0zCtU=')],
    revocation: readStatusList({ entries: {} }),
  };
  const at = new Date(pixel.recordedAt ?? '');
  return {
    floors: [bareChain(chain)],
    candidates: [() => verifyAndroidKeyAttestation(policy, input, at).verdict === 'passed'],
  };
}

/** Bare: the signature over the nonce. */
function assertion(): Pick<Judged, 'floors' | 'candidates'> {
  const inputs = vectors.flatMap((vector) =>
    vector.assertions.map((each) => ({
      policy: {
        teamId: vector.teamId,
        bundleId: vector.bundleId,
        environment: vector.environment,
        counterLast: 0,
      },
      input: {
        assertion: bytes(each.assertion),
        publicKeySpki: bytes(vector.publicKeySpki),
        clientDataHash: bytes(each.clientDataHash),
      },
      at: new Date(vector.recordedAt),
    })),
  );
  return {
    floors: inputs.map(({ input }) => {
      const parts = readCborMap(input.assertion);
      const nonce = sha256(bytesAt(parts, 'authenticatorData'), input.clientDataHash);
      const signature = bytesAt(parts, 'signature');
      const key = createPublicKey({ key: input.publicKeySpki, format: 'der', type: 'spki' });
      return () => verify('sha256', nonce, key, signature);
    }),
    candidates: inputs.map(
      ({ policy, input, at }) =>
        () =>
          verifyAppleAssertion(policy, input, at).verdict === 'passed',
    ),
  };
}

function bareChain([leaf, issuer]: readonly (Uint8Array | undefined)[]): () => boolean {
  if (!leaf || !issuer) throw new Error('a chain of one');
  const [certificate, key] = [new X509Certificate(leaf), new X509Certificate(issuer).publicKey];
  return () => certificate.verify(key);
}
