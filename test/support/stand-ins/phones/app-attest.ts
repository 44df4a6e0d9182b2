import { createPublicKey, generateKeyPairSync } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { jwtVerify } from 'jose';
import {
  isSigned,
  readReceipt,
  receiptChainFaultOf,
  type Receipt,
} from '../../../../domain/proofs/device/apple/receipt.ts';
import { receiptAnchors } from '../../../../domain/proofs/device/apple/verify-apple-receipt.ts';
import { renewReceipt } from '../../../../simulator/apple/receipt.ts';
import type { AppleDevelopmentRoots } from '../../../../simulator/roots/apple.ts';
import { readDevTrust } from '../../../../simulator/roots/dev-trust.ts';
import { startProvider, type Provider, type ProviderRequest } from '../provider.ts';

/** The default team with a key here. */
export const receiptTeam = 'RECEIPTS26';
const keyId = 'AKEYOFTEAM';
const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const dayMs = 24 * 3600_000;
const knownMs = 30 * dayMs;
const tokenAgeMax = '20 minutes';

/** Writes a key file as `APPLE_DEVICE_KEYS` names it. Returns its path. */
export function writeAppleKeys(directory: string, team: string = receiptTeam): string {
  const private_key = privateKey.export({ format: 'pem', type: 'pkcs8' });
  const path = join(directory, `apple-${team}.json`);
  writeFileSync(path, JSON.stringify({ [team]: { key_id: keyId, private_key } }));
  return path;
}

export interface AppAttestOptions {
  readonly environment: 'sandbox' | 'production';
  readonly now: () => Date;
  readonly roots: () => Promise<AppleDevelopmentRoots>;
  readonly team?: string;
}

/**
 * An Apple host that renews receipts: `POST /v1/attestationData`, the receipt in base64, authorized
 * by a token of the team's key. It counts all phones with one app as one phone: the risk metric is
 * how many keys of that app it has seen.
 */
export async function startAppAttest(options: AppAttestOptions): Promise<Provider> {
  const { team = receiptTeam } = options;
  const keysOf = new Map<string, Set<string>>();
  const renewedAt = new Map<string, number>();
  return startProvider(async (request) => {
    const { method, path, headers } = request;
    if (path !== '/v1/attestationData') return { status: 501 };
    if (method !== 'POST') return { status: 405, headers: { Allow: 'POST' } };
    const now = options.now();
    const roots = await options.roots();
    const receipt = receiptOf(request, roots, options.environment);
    if (!(await hasToken(headers.authorization, team, now))) return { status: 401 };
    if (!receipt?.appId.startsWith(`${team}.`)) return { status: 400 };
    const { attested, createdAt, expiresAt, notBefore, appId } = receipt;
    if (now > new Date(expiresAt)) return { status: 400 };
    const key = Buffer.from(attested).toString('base64');
    const seen = keysOf.get(appId) ?? new Set<string>();
    if (!seen.has(key) && now.getTime() - Date.parse(createdAt) > knownMs) return { status: 404 };
    keysOf.set(appId, seen.add(key));
    const sinceMs = now.getTime() - (renewedAt.get(key) ?? 0);
    const isEarly = notBefore !== null && now < new Date(notBefore);
    if (isEarly || sinceMs < dayMs) return { status: 304 };
    renewedAt.set(key, now.getTime());
    const bytes = Buffer.from(request.body.toString(), 'base64');
    const renewed = renewReceipt(roots, bytes, now, seen.size);
    return { status: 200, text: Buffer.from(renewed).toString('base64') };
  });
}

/** Starts the sandbox of a platform with its simulator in this directory. */
export const startSandbox = (directory: string): Promise<Provider> =>
  startAppAttest({
    environment: 'sandbox',
    now: () => new Date(),
    roots: async () => (await readDevTrust(directory)).apple,
  });

/** Whether the header is a token of the team's key, without an authentication scheme before it. */
export async function hasToken(
  token: string | undefined,
  issuer: string,
  currentDate: Date,
): Promise<boolean> {
  try {
    const { payload, protectedHeader } = await jwtVerify(
      token ?? '',
      createPublicKey(publicKey.export({ format: 'pem', type: 'spki' })),
      {
        algorithms: ['ES256'],
        issuer,
        currentDate,
        requiredClaims: ['iat'],
        maxTokenAge: tokenAgeMax,
      },
    );
    const members = [...Object.keys(protectedHeader), ...Object.keys(payload)].toSorted();
    return protectedHeader.kid === keyId && members.join() === 'alg,iat,iss,kid';
  } catch {
    return false;
  }
}

/** Opens a receipt that it signed itself for this environment; null for anything else. */
function receiptOf(
  { body }: ProviderRequest,
  roots: AppleDevelopmentRoots,
  environment: string,
): Receipt | null {
  const text = body.toString();
  const bytes = Buffer.from(text, 'base64');
  if (bytes.toString('base64') !== text) return null;
  try {
    const receipt = readReceipt(bytes);
    const anchors = receiptAnchors(roots.receiptRootPem);
    const isGenuine = isSigned(receipt) && receiptChainFaultOf(receipt, anchors) === null;
    return isGenuine && receipt.environment === environment ? receipt : null;
  } catch {
    return null;
  }
}

/** Settings for Apple's sandboxes. Two keys of one phone already exceed the usual number. */
export const appAttestSettings = ({ url }: Pick<Provider, 'url'>, directory: string) => ({
  APPLE_DEVICE_KEYS: writeAppleKeys(directory),
  APP_ATTEST_SANDBOX_URL: url,
  APP_ATTEST_RISK_MAX: '1',
});
