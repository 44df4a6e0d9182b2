import type { DeviceRow } from '../../../db/queries/devices.ts';
import type { AndroidIdentity, AppleIdentity } from '../../../domain/identity/app-identities.ts';
import { judgeEvidence } from '../../../domain/judging/judge.ts';
import { buildPolicyOf } from '../../../domain/proofs/device/apple/apple-app.ts';
import type { Verdict } from '../../../domain/proofs/verdict.ts';
import type { AttestationTrust } from './judge-enrollment.ts';

/** A device's signature over one request. Bytes are raw. */
export interface SignedRequest {
  readonly assertion: Uint8Array;
  readonly clientData: Uint8Array;
}

export interface JudgedRequest {
  readonly verdict: Verdict;
  /** Counter of an iPhone's assertions; null on Android, which has none. */
  readonly counter: number | null;
  /** The evidence file that the verdict is based on. */
  readonly file: Readonly<Record<string, unknown>>;
}

interface AppIdentities {
  readonly apple: AppleIdentity | null;
  readonly android: AndroidIdentity | null;
}

/**
 * Judges the signature of an enrolled device over one request. It never throws. The caller has
 * compared the signed data with the request, and stores the counter by compare-and-set.
 */
export function judgeRequest(
  trust: AttestationTrust,
  app: AppIdentities,
  device: Pick<DeviceRow, 'platform' | 'counter' | 'public_key_spki'>,
  signed: SignedRequest,
  now: Date,
): JudgedRequest {
  if (device.platform === 'android') return judgeAndroid(device, signed, now);
  const file = {
    format: 'trustcheck-evidence/1',
    kind: 'apple-assertion',
    at: now.toISOString(),
    policy: {
      team_id: app.apple?.team_id ?? '',
      bundle_id: app.apple?.bundle_id ?? '',
      environment: trust.environment,
      ...(app.apple ? buildPolicyOf(app.apple) : {}),
      counter_last: device.counter,
    },
    input: {
      assertion: base64(signed.assertion),
      public_key_spki: base64(device.public_key_spki),
      client_data: base64(signed.clientData),
    },
  };
  const verdict = judgeEvidence(file);
  const { counter } = verdict.facts;
  return { verdict, counter: typeof counter === 'number' ? counter : null, file };
}

function judgeAndroid(
  device: Pick<DeviceRow, 'public_key_spki'>,
  signed: SignedRequest,
  now: Date,
): JudgedRequest {
  const file = {
    format: 'trustcheck-evidence/1',
    kind: 'android-assertion',
    at: now.toISOString(),
    input: {
      signature: base64(signed.assertion),
      public_key_spki: base64(device.public_key_spki),
      client_data: base64(signed.clientData),
    },
  };
  return { verdict: judgeEvidence(file), counter: null, file };
}

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');
