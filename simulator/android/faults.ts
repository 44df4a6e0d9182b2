import { randomBytes, sign } from 'node:crypto';
import type { PhoneFailure } from '../failures/failures.ts';
import { isOverProof } from '../failures/signed-request.ts';
import {
  createAndroidDevelopmentRoot,
  revokedSerial,
  type AndroidDevelopmentRoot,
} from '../roots/android.ts';
import { newKey } from '../roots/apple.ts';
import type { DevTrust } from '../roots/dev-trust.ts';
import { playToken, type DevPlayKeys, type PlayRequest } from '../roots/play-token.ts';
import { unlocked, type AndroidApp, type AndroidChanges, type AndroidPhone } from './phone.ts';

/** Returns the root that attests the keys of a phone with this failure. */
export function androidRootWith(
  fail: PhoneFailure | undefined,
  { android, emulator }: Pick<DevTrust, 'android' | 'emulator'>,
  now: Date,
): AndroidDevelopmentRoot {
  if (fail === 'foreign_root') return createAndroidDevelopmentRoot(now);
  return fail === 'emulator' ? emulator : android;
}

/** Returns an Android phone with a fault in its key attestation or in its signatures. */
export function withAndroidFault(
  phone: AndroidPhone,
  fail: PhoneFailure | undefined,
): AndroidPhone {
  if (fail === undefined) return phone;
  return {
    ...phone,
    attest: (challenge) =>
      phone.attest(fail === 'old_challenge' ? randomBytes(32) : challenge, attestationWith(fail)),
    sign: (clientData) =>
      fail === 'wrong_signature' && isOverProof(clientData)
        ? sign('sha256', clientData, newKey('prime256v1'))
        : phone.sign(clientData),
  };
}

/**
 * KeyMint's numbers for KeyStatement: a level that no phone has, StrongBox, imported key, purpose
 * verify.
 */
const [unknownLevel, strongBox, imported, verify] = [9, 2, 2, 3];

function attestationWith(fail: PhoneFailure): AndroidChanges {
  switch (fail) {
    case 'imported_key':
      return { key: { origin: imported } };
    case 'key_revoked':
      return { leaf: { serial: revokedSerial } };
    case 'mixed_hardware':
      return { key: { keymintSecurityLevel: strongBox } };
    case 'no_purpose':
      return { key: { purposes: [verify] } };
    case 'other_app':
      return { key: { packages: ['dev.trustcheck.app.copy'] } };
    case 'other_signer':
      return { key: { signatureDigests: [randomBytes(32)] } };
    case 'undescribed_key':
      return { leaf: { extensions: [] } };
    case 'unknown_hardware':
      return {
        key: { attestationSecurityLevel: unknownLevel, keymintSecurityLevel: unknownLevel },
      };
    case 'unlocked':
      return { key: unlocked };
    default:
      return {};
  }
}

interface AttestationRequest {
  readonly keys: DevPlayKeys;
  readonly app: AndroidApp;
  readonly request: PlayRequest;
  readonly now: Date;
}

const device = { deviceRecognitionVerdict: ['MEETS_DEVICE_INTEGRITY'] };
/** Members of Play's payload that replace those of a genuine phone. */
const played: Readonly<Partial<Record<PhoneFailure, Readonly<Record<string, unknown>>>>> = {
  play_flagged: {
    deviceIntegrity: {
      ...device,
      deviceRecall: {
        values: { bitFirst: true, bitSecond: true, bitThird: false },
        writeDates: { yyyymmFirst: 202_601, yyyymmSecond: 202_601 },
      },
    },
  },
  play_risk: { environmentDetails: { playProtectVerdict: 'HIGH_RISK' } },
  play_rooted: { deviceIntegrity: {} },
  play_testing: { testingDetails: { isTestingResponse: true } },
  play_unevaluated: { accountDetails: { appLicensingVerdict: 'UNEVALUATED' } },
  play_unlicensed: { accountDetails: { appLicensingVerdict: 'UNLICENSED' } },
  play_unrecognized: { appIntegrity: { appRecognitionVerdict: 'UNRECOGNIZED_VERSION' } },
};
/** Longer than a token is valid. */
const staleMs = 3600_000;

/** Returns the Play Integrity token of such a phone for this request; null if none is requested. */
export async function playTokenWith(
  fail: PhoneFailure | undefined,
  { keys, app, request, now }: AttestationRequest,
): Promise<string | null> {
  if (fail === 'play_missing') return null;
  const another = randomBytes(32).toString('base64url');
  const replayed = 'nonce' in request ? { nonce: another } : { requestHash: another };
  const sent = fail === 'play_replayed' ? replayed : request;
  const at = fail === 'play_stale' ? new Date(now.getTime() - staleMs) : now;
  return playToken(keys, app, sent, at, fail && played[fail]);
}
