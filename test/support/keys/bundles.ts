import { createHash, createPublicKey, sign, X509Certificate, type KeyObject } from 'node:crypto';
import { join } from 'node:path';
import { loadKeys, type PlatformKeys } from '../../../activities/keys/directory/load-keys.ts';
import { randomIds } from '../../../db/ids.ts';
import { publicJwkOf, thumbprintOf } from '../../../domain/pki/x509/thumbprint.ts';
import { phoneBundle, type PhoneBundle } from '../../../simulator/device/bundle.ts';
import type { Device } from '../../../simulator/device/device.ts';
import { call, type Answer } from '../http/client.ts';
import { ownPlatform } from '../platform/own-platform.ts';

export type Members = Record<string, unknown>;

export const platformKeys = (): PlatformKeys => loadKeys(join(ownPlatform().dataDir, 'keys'));

/** A valid bundle of an enrolled phone, as the app would mint it. */
export async function goodBundle(
  device: Device,
  changes: Partial<PhoneBundle> = {},
): Promise<string> {
  const { baseUrl } = ownPlatform();
  return phoneBundle(device, { baseUrl, now: new Date(), ...changes });
}

export const kidOfDevice = ({ signingKey }: Device): string =>
  thumbprintOf(publicJwkOf(createPublicKey(signingKey)));

/**
 * Header and claims of a valid bundle. Written out here independently of the code that mints them.
 */
export function plainParts(device: Device, now = new Date()): { header: Members; claims: Members } {
  const { baseUrl } = ownPlatform();
  const { polyUserId = '', certificateChain = [] } = device.enrolled ?? {};
  const chain = certificateChain.map((pem) => new X509Certificate(pem).raw);
  const iat = Math.floor(now.getTime() / 1000);
  const header = {
    alg: 'ES256',
    kid: kidOfDevice(device),
    typ: 'vbundle+jwt',
    x5c: chain.map((der) => der.toString('base64')),
    'x5t#S256': createHash('sha256')
      .update(chain[0] ?? '')
      .digest('base64url'),
  };
  const claims = {
    iss: `${baseUrl}/users/${polyUserId}`,
    sub: polyUserId,
    aud: baseUrl,
    iat,
    nbf: iat,
    exp: iat + 300,
    jti: randomIds.bytes(16).toString('base64url'),
    auth_time: iat,
    acr: 'urn:trustcheck:assurance:cert',
    amr: ['hwk', 'pop'],
    cnf: { jkt: header.kid },
  };
  return { header, claims };
}

export const encode = (value: unknown): string =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');

/** Signs two segments unchanged (ES256), whatever their content. */
export function signSegments(head: string, body: string, key: KeyObject): string {
  const input = `${head}.${body}`;
  const options = { key, dsaEncoding: 'ieee-p1363' } as const;
  return `${input}.${sign('sha256', Buffer.from(input), options).toString('base64url')}`;
}

/** A bundle with changed members (`undefined` omits one), signed by the phone or another key. */
export function changedBundle(
  device: Device,
  changes: { header?: Members; claims?: Members; key?: KeyObject; now?: Date } = {},
): string {
  const { header, claims } = plainParts(device, changes.now);
  return signSegments(
    encode({ ...header, ...changes.header }),
    encode({ ...claims, ...changes.claims }),
    changes.key ?? device.signingKey,
  );
}

/** Signs in with a bundle. */
export function portalLogin(rawJwt: string, more: Members = {}): Promise<Answer> {
  return call('POST', '/portal_login', { body: { raw_jwt: rawJwt, ...more } });
}
