import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  randomUUID,
  type KeyObject,
} from 'node:crypto';
import { CompactSign } from 'jose';
import { bindingOf } from '../../activities/proofs/device/google/play-integrity.ts';
import type { AppleIdentity } from '../../domain/identity/app-identities.ts';
import type { DevicePlatform } from '../../domain/names.ts';
import { androidRootWith, playTokenWith, withAndroidFault } from '../android/faults.ts';
import { createAndroidPhone, type AndroidPhone } from '../android/phone.ts';
import { applePhoneWith, withAppleFault } from '../apple/faults.ts';
import { createApplePhone, type ApplePhone, type ApplePhoneRequest } from '../apple/phone.ts';
import type { PhoneFailure } from '../failures/failures.ts';
import type { DevTrust } from '../roots/dev-trust.ts';
import type { PlayRequest } from '../roots/play-token.ts';
import { simulatedApp } from '../../domain/proofs/device/simulated-app.ts';
import { makeDeviceToken } from './device-token.ts';

export interface DeviceRequest {
  readonly platform: DevicePlatform;
  readonly trust: DevTrust;
  readonly now: () => Date;
  /** The failure that the phone simulates: see `deviceFailures`. */
  readonly fail?: PhoneFailure | undefined;
  readonly saved?: SavedDevice | undefined;
  /** App on an iPhone. Default: `simulatedApp`. */
  readonly apple?: AppleIdentity | undefined;
  /** The iPhone on which the app is installed, as DeviceCheck identifies it. Default: a new one. */
  readonly hardware?: string | undefined;
}

/** A phone saved between runs. */
export interface SavedDevice {
  readonly platform: DevicePlatform;
  readonly deviceId: string | null;
  readonly polyUserId: string | null;
  readonly signingKeyPem: string;
  readonly attestedKeyPem: string;
  readonly counter: number;
  readonly certificateChain: readonly string[];
  /** Absent in phones of earlier versions. */
  readonly verifiedClaims?: string | null;
}

/** A simulated phone: an attested key, a signing key, and the results of their enrollment. */
export interface Device {
  readonly platform: DevicePlatform;
  readonly signingKey: KeyObject;
  enrolled: { deviceId: string; polyUserId: string; certificateChain: readonly string[] } | null;
  /** `verified_claims_token` of the last passed check. */
  verifiedClaims: string | null;
  /** Returns the body of `POST /v2/devices` over a challenge (base64url). */
  enrollment(challenge: string, appId: string): Promise<Record<string, unknown>>;
  /** Returns the `attest` header of one request. */
  attest(request: AttestedCall, nonce: string): Promise<string>;
  save(): SavedDevice;
}

export interface AttestedCall {
  readonly method: string;
  /** Path with query, as sent. */
  readonly path: string;
  readonly body: string | Uint8Array;
}

type Vendor =
  | {
      readonly platform: 'ios';
      readonly phone: ApplePhone;
      /** Returns a new DeviceCheck token of the iPhone, for one call. */
      readonly deviceToken: () => string;
    }
  | {
      readonly platform: 'android';
      readonly phone: AndroidPhone;
      /** Returns the Play Integrity token for a request; null if none is requested. */
      readonly integrity: (request: PlayRequest) => Promise<string | null>;
    };

/** Creates a phone with new keys, or with the keys of an earlier run. */
export function createDevice(request: DeviceRequest): Device {
  const { saved } = request;
  const signingKey = saved
    ? createPrivateKey(saved.signingKeyPem)
    : generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
  const vendor = vendorOf(request);
  const device: Device = {
    platform: request.platform,
    signingKey,
    enrolled:
      saved?.deviceId && saved.polyUserId
        ? {
            deviceId: saved.deviceId,
            polyUserId: saved.polyUserId,
            certificateChain: saved.certificateChain,
          }
        : null,
    verifiedClaims: saved?.verifiedClaims ?? null,
    enrollment: (challenge, appId) => enrollment(vendor, signingKey, challenge, appId),
    async attest(call, nonce) {
      if (!device.enrolled) throw new Error('the phone is not enrolled');
      return attestHeader(vendor, device.enrolled.deviceId, call, nonce, request.now());
    },
    save: () => save(vendor, device),
  };
  return device;
}

function vendorOf(request: DeviceRequest): Vendor {
  const { platform, trust, now, saved, fail } = request;
  const keyPem = saved?.attestedKeyPem;
  if (platform === 'ios') {
    const { team_id: teamId, bundle_id: bundleId } = request.apple ?? simulatedApp.apple;
    const phoneRequest: ApplePhoneRequest = {
      roots: trust.apple,
      app: { teamId, bundleId },
      environment: 'development',
      now,
      saved: saved && keyPem ? { keyPem, counter: saved.counter } : undefined,
    };
    const made = { ...phoneRequest, ...applePhoneWith(fail, phoneRequest) };
    const phone = withAppleFault(createApplePhone(made), fail, now);
    const hardware = request.hardware ?? randomUUID();
    const { environment } = made;
    const deviceToken = () => makeDeviceToken({ hardware, teamId, environment });
    return { platform, phone, deviceToken };
  }
  const [digest] = simulatedApp.android.signature_digests;
  const app = {
    packageName: simulatedApp.android.package,
    signatureDigest: Buffer.from(digest, 'hex'),
  };
  const root = androidRootWith(fail, trust, now());
  const made = createAndroidPhone({ root, app, now, saved: keyPem ? { keyPem } : undefined });
  const phone = withAndroidFault(made, fail);
  const integrity = (request: PlayRequest): Promise<string | null> =>
    playTokenWith(fail, { keys: trust.play, app, request, now: now() });
  return { platform, phone, integrity };
}

async function enrollment(
  vendor: Vendor,
  signingKey: KeyObject,
  challenge: string,
  appId: string,
): Promise<Record<string, unknown>> {
  const bytes = Buffer.from(challenge, 'base64url');
  const { kty, crv, x, y } = createPublicKey(signingKey).export({ format: 'jwk' });
  const common = {
    platform: vendor.platform,
    app_id: appId,
    challenge,
    signing_key: { kty, crv, x, y },
    signing_proof: await new CompactSign(bytes)
      .setProtectedHeader({ alg: 'ES256' })
      .sign(signingKey),
    device_name: 'simulated phone',
  };
  if (vendor.platform === 'android') {
    const chain = vendor.phone.attest(bytes);
    const token = await vendor.integrity({ nonce: bindingOf(bytes, chain[0] ?? new Uint8Array()) });
    const integrity = token === null ? {} : { integrity: { token, request: 'classic' } };
    return { ...common, android: { chain: chain.map(base64url), ...integrity } };
  }
  const attestation = base64url(vendor.phone.attest(bytes));
  const device_tokens = [1, 2, 3].map(() => vendor.deviceToken());
  const key_id = base64url(vendor.phone.keyId);
  return { ...common, apple: { key_id, attestation, device_tokens } };
}

async function attestHeader(
  vendor: Vendor,
  deviceId: string,
  { method, path, body }: AttestedCall,
  nonce: string,
  now: Date,
): Promise<string> {
  const clientData = Buffer.from(
    JSON.stringify({
      nonce,
      method,
      path,
      body_sha256: createHash('sha256').update(body).digest('hex'),
      iat: Math.floor(now.getTime() / 1000),
    }),
  );
  const assertion =
    vendor.platform === 'ios' ? vendor.phone.assert(clientData) : vendor.phone.sign(clientData);
  const header = {
    v: 1,
    platform: vendor.platform,
    device_id: deviceId,
    assertion: base64url(assertion),
    client_data: base64url(clientData),
    ...(await playTokenOf(vendor, path, nonce)),
  };
  return base64url(Buffer.from(JSON.stringify(header)));
}

/**
 * Returns the current Play Integrity token of an Android phone when the app submits its device
 * proof.
 */
async function playTokenOf(
  vendor: Vendor,
  path: string,
  nonce: string,
): Promise<{ play_token?: string }> {
  if (vendor.platform !== 'android' || !path.endsWith('/proofs/device')) return {};
  const requestHash = bindingOf(Buffer.from(nonce), vendor.phone.publicKeySpki);
  const token = await vendor.integrity({ requestHash });
  return token === null ? {} : { play_token: token };
}

function save(vendor: Vendor, device: Device): SavedDevice {
  const { enrolled, signingKey, platform } = device;
  const saved =
    vendor.platform === 'ios' ? vendor.phone.save() : { ...vendor.phone.save(), counter: 0 };
  return {
    platform,
    deviceId: enrolled?.deviceId ?? null,
    polyUserId: enrolled?.polyUserId ?? null,
    signingKeyPem: String(signingKey.export({ format: 'pem', type: 'pkcs8' })),
    attestedKeyPem: saved.keyPem,
    counter: saved.counter,
    certificateChain: enrolled?.certificateChain ?? [],
    verifiedClaims: device.verifiedClaims,
  };
}

const base64url = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64url');
