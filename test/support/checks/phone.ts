import type { DevicePlatform } from '../../../domain/names.ts';
import { signingPairOf } from '../../../simulator/device/client-key.ts';
import { createDevice, type AttestedCall, type Device } from '../../../simulator/device/device.ts';
import type { PhoneFailure } from '../../../simulator/failures/failures.ts';
import { readDevTrust, type DevTrust } from '../../../simulator/roots/dev-trust.ts';
import { asBrowser, browserWith } from '../http/browser-keys.ts';
import { call, collecting, type Answer, type Session } from '../http/client.ts';
import { ownPlatform } from '../platform/own-platform.ts';

export const devTrust = (): Promise<DevTrust> => readDevTrust(ownPlatform().dataDir);

/** Creates a simulated phone that is not enrolled yet. */
export async function newPhone(platform: DevicePlatform = 'ios', fail?: PhoneFailure) {
  return createDevice({ platform, trust: await devTrust(), now: () => new Date(), fail });
}

export async function newChallenge(
  headers: Readonly<Record<string, string>> = {},
): Promise<string> {
  const { body } = await call('POST', '/v2/devices/challenge', { headers: { ...headers } });
  return String(body['challenge']);
}

/** Enrolls a phone as the app does, with changes to the request. */
export async function enroll(
  device: Device,
  changes: Record<string, unknown> = {},
  options: { token?: string; headers?: Record<string, string> } = {},
): Promise<Answer> {
  const { own } = ownPlatform();
  const body = {
    ...(await device.enrollment(await newChallenge(options.headers), own.app_id)),
    ...changes,
  };
  const answer = await call('POST', '/v2/devices', { body, ...options });
  if (answer.status === 201) {
    device.enrolled = {
      deviceId: String(answer.body['device_id']),
      polyUserId: String(answer.body['poly_user_id']),
      certificateChain: answer.body['certificate_chain'] as string[],
    };
  }
  return answer;
}

export async function enrolledPhone(
  platform: DevicePlatform = 'ios',
  headers: Record<string, string> = {},
): Promise<Device> {
  const device = await newPhone(platform);
  const answer = await enroll(device, {}, { headers });
  if (answer.status !== 201) throw new Error(`not enrolled: ${answer.status} ${answer.text}`);
  return device;
}

/**
 * Returns a nonce as the app gets its first one: from the answer to a call without a valid nonce.
 */
export async function freshNonce(device: Device): Promise<string> {
  const path = `/v2/devices/${device.enrolled?.deviceId ?? ''}/certificate`;
  const attest = await device.attest({ method: 'POST', path, body: '' }, 'none');
  const answer = await call('POST', path, { headers: { attest } });
  return answer.headers.get('attest-nonce') ?? '';
}

export interface SignedCall {
  readonly token?: string;
  readonly body?: unknown;
  readonly nonce?: string;
  /** Replaces parts of the request in the attested data of the header. */
  readonly signed?: Partial<AttestedCall>;
  readonly headers?: Record<string, string>;
  readonly at?: string;
}

/**
 * Runs `calls` as this phone: checks begun inside have tokens that are bound to its signing key.
 */
export const asPhone = async <T>(device: Device, calls: () => Promise<T>): Promise<T> =>
  asBrowser(await browserWith(signingPairOf(device)), calls);

/** Sends a call with the phone's `attest` header. */
export async function signedCall(
  device: Device,
  method: string,
  path: string,
  options: SignedCall = {},
): Promise<Answer> {
  const raw = options.body === undefined ? '' : JSON.stringify(options.body);
  const nonce = options.nonce ?? (await freshNonce(device));
  const attest = await device.attest({ method, path, body: raw, ...options.signed }, nonce);
  return asPhone(device, () =>
    call(method, path, {
      ...(raw === '' ? {} : { raw }),
      ...(options.token ? { token: options.token } : {}),
      ...(options.at ? { at: options.at } : {}),
      headers: { attest, ...options.headers },
    }),
  );
}

/** Returns a session that collects proofs and is paired with this phone. */
export async function pairedSession(device: Device, linkUuid: string): Promise<Session> {
  const pairing = async ({ id, token }: Session): Promise<void> => {
    const paired = await signedCall(device, 'POST', `/v2/trust-checks/${id}/pair`, {
      token,
      body: {},
    });
    if (paired.status !== 200) throw new Error(`not paired: ${paired.status} ${paired.text}`);
  };
  return asPhone(device, () => collecting(linkUuid, 'mobile', pairing));
}
