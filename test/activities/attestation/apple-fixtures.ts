import { decode, encode } from 'cbor2';
import type { AppleEnvironment } from '../../../domain/proofs/device/apple/apple-app.ts';
import {
  verifyAppleAssertion,
  type AppleAssertionInput,
  type AppleAssertionPolicy,
} from '../../../domain/proofs/device/apple/verify-apple-assertion.ts';
import {
  verifyAppleAttestation,
  type AppleAttestationInput,
  type AppleAttestationPolicy,
} from '../../../domain/proofs/device/apple/verify-apple-attestation.ts';
import type { Verdict } from '../../../domain/proofs/verdict.ts';
import { createApplePhone, type AttestationChanges } from '../../../simulator/apple/phone.ts';
import { createAppleDevelopmentRoots } from '../../../simulator/roots/apple.ts';
import { at, vector } from '../passport/fixtures.ts';

export interface AppleVector {
  readonly id: string;
  readonly teamId: string;
  readonly bundleId: string;
  readonly keyId: string;
  readonly environment: AppleEnvironment;
  readonly recordedAt: string;
  readonly leafNotBefore: string;
  readonly leafNotAfter: string;
  readonly osVersion: string;
  readonly clientData: string;
  readonly clientDataHash: string;
  readonly attestation: string;
  readonly publicKeySpki: string;
  readonly receiptFields: VectorReceipt;
  readonly assertions: readonly {
    readonly assertion: string;
    readonly clientData: string;
    readonly clientDataHash: string;
    readonly counter: number;
  }[];
  readonly refreshedReceipts: readonly {
    readonly receipt: string;
    readonly recordedAt: string;
    readonly fields: VectorReceipt;
  }[];
}

interface VectorReceipt {
  readonly type: string;
  readonly environment: string;
  readonly creationTime: string;
  readonly expirationTime: string;
  readonly notBefore?: string;
  readonly riskMetric?: string;
}

export const vectors: AppleVector[] = JSON.parse(vector('app-attest.json').toString()).vectors;

export const app = { teamId: 'TRUSTCHECK', bundleId: 'dev.trustcheck.app' } as const;
export const roots = createAppleDevelopmentRoots(at);
/** Another development Apple, which nobody here trusts. */
export const foreign = createAppleDevelopmentRoots(at);
export const rootPem = roots.rootPem + roots.receiptRootPem;
export const clientData = Buffer.from('0'.repeat(64));

export const policy: AppleAttestationPolicy = { ...app, environment: 'production', rootPem };

export const newPhone = (changes: Partial<Parameters<typeof createApplePhone>[0]> = {}) =>
  createApplePhone({ roots, app, environment: 'production', now: () => at, ...changes });

export interface MintedAttestation {
  readonly phone: ReturnType<typeof newPhone>;
  readonly input: AppleAttestationInput;
}

/** An attestation over `clientData`, by a production phone unless said otherwise. */
export function mintAttestation(
  changes: AttestationChanges = {},
  phone = newPhone(),
): MintedAttestation {
  const attestation = phone.attest(clientData, changes);
  return { phone, input: { attestation, keyId: phone.keyId, clientData } };
}

/** An assertion over `clientData`, and a policy that has seen none yet. */
export function mintAssertion(
  phone = newPhone(),
  changes: Parameters<typeof phone.assert>[1] = {},
): { policy: AppleAssertionPolicy; input: AppleAssertionInput } {
  const assertion = phone.assert(clientData, changes);
  return {
    policy: { ...app, environment: 'production', counterLast: 0 },
    input: { assertion, publicKeySpki: phone.publicKeySpki, clientData },
  };
}

/** The parts of an attestation object, to change and to write again. */
export interface AttestationParts {
  readonly fmt: string;
  readonly attStmt: { readonly x5c: readonly Uint8Array[]; readonly receipt: Uint8Array };
  readonly authData: Uint8Array;
}

export const partsOf = (attestation: Uint8Array): AttestationParts => decode(attestation);

/** The same attestation with parts replaced after everything was signed. */
export function rewritten(
  { input }: MintedAttestation,
  edit: (parts: AttestationParts) => unknown,
): AppleAttestationInput {
  return { ...input, attestation: encode(edit(partsOf(input.attestation))) };
}

/** The reason and every check that failed: `passed`, or `nonce_mismatch at nonce`. */
export function faults({ verdict, reason_code, checks }: Verdict): string {
  const failed = checks.filter(({ result }) => result === 'failed').map(({ name }) => name);
  return failed.length === 0 ? verdict : `${reason_code} at ${failed.join(', ')}`;
}

export const judgeAttestation = (input: AppleAttestationInput, when = at): string =>
  faults(verifyAppleAttestation(policy, input, when));

export const judgeAssertion = (
  { policy: held, input }: ReturnType<typeof mintAssertion>,
  changes: Partial<AppleAssertionPolicy & AppleAssertionInput> = {},
): string => faults(verifyAppleAssertion({ ...held, ...changes }, { ...input, ...changes }, at));
