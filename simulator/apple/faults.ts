import { createPublicKey, randomBytes } from 'node:crypto';
import type { PhoneFailure } from '../failures/failures.ts';
import { isOverProof } from '../failures/signed-request.ts';
import { createAppleDevelopmentRoots, newKey } from '../roots/apple.ts';
import type {
  ApplePhone,
  ApplePhoneRequest,
  AssertionChanges,
  AttestationChanges,
} from './phone.ts';

const dayMs = 24 * 3600_000;
/** Apple's number for an app signed by an enterprise for internal distribution. */
const enterprise = 5;

/** Returns how an iPhone with this failure is created. */
export function applePhoneWith(
  fail: PhoneFailure | undefined,
  { app, now }: ApplePhoneRequest,
): Partial<ApplePhoneRequest> {
  switch (fail) {
    // An iPhone simulator has no App Attest. A program that imitates one is visible by its
    // environment.
    case 'emulator':
      return { environment: 'production' };
    case 'foreign_root':
      return { roots: createAppleDevelopmentRoots(now()) };
    case 'other_app':
      return { app: { ...app, bundleId: `${app.bundleId}.copy` } };
    case 'resigned':
      return { category: enterprise };
    default:
      return {};
  }
}

/** Returns an iPhone with a fault in its key attestation or in its signatures. */
export function withAppleFault(
  phone: ApplePhone,
  fail: PhoneFailure | undefined,
  now: () => Date,
): ApplePhone {
  if (fail === undefined) return phone;
  return {
    ...phone,
    keyId: fail === 'other_key_id' ? randomBytes(32) : phone.keyId,
    attest: (clientData) =>
      phone.attest(
        fail === 'old_challenge' ? randomBytes(32) : clientData,
        attestationWith(fail, now()),
      ),
    assert: (clientData) =>
      phone.assert(clientData, isOverProof(clientData) ? assertionWith(fail) : {}),
  };
}

function attestationWith(fail: PhoneFailure, now: Date): AttestationChanges {
  switch (fail) {
    case 'expired_certificate': {
      const [from, to] = [2, 1].map((days) => new Date(now.getTime() - days * dayMs));
      return from && to ? { leaf: { validity: { from, to } } } : {};
    }
    case 'foreign_receipt':
      return { receipt: { appId: 'ANOTHER.app' } };
    case 'other_credential':
      return { data: { credentialId: randomBytes(32) } };
    case 'other_public_key':
      return { data: { publicKey: createPublicKey(newKey('prime256v1')) } };
    case 'used_key':
      return { data: { counter: 1 } };
    default:
      return {};
  }
}

function assertionWith(fail: PhoneFailure): AssertionChanges {
  if (fail === 'replayed_counter') return { counter: 1 };
  return fail === 'wrong_signature' ? { key: newKey('prime256v1') } : {};
}
