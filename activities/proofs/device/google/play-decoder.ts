import { createPrivateKey } from 'node:crypto';
import { SignJWT } from 'jose';
import { z } from 'zod';
import { playTokenLengthMax } from '../../../../domain/proofs/device/play/play-token.ts';
import { jsonOf } from '../../../../domain/proofs/json-of.ts';
import { singleFlight } from '../../../runtime/single-flight.ts';
import { postToVendor, type VendorAnswer } from '../../../vendors/post-to-vendor.ts';
import { providerDown } from '../../../vendors/provider.ts';

/** The key file of a service account, in Google's form. */
export const serviceAccount = z.object({
  client_email: z.email(),
  private_key_id: z.string().min(1).max(200),
  private_key: z.string().transform((pem, context) => {
    try {
      return createPrivateKey(pem);
    } catch {
      context.addIssue({ code: 'custom', message: 'not a private key' });
      return z.NEVER;
    }
  }),
  token_uri: z.url({ protocol: /^https?$/ }),
});

export interface PlayOptions {
  readonly account: z.output<typeof serviceAccount>;
  readonly url: string;
  readonly clock: () => Date;
  readonly timeoutMs?: number | undefined;
}

export interface PlayDecoder {
  /**
   * Returns the payload of a token of this app, decoded by Google; null when the token is invalid.
   * @throws Failure `dependency_unavailable` without a usable response, for instance when Google
   * rejects our credentials
   */
  decode(packageName: string, token: string): Promise<unknown>;
}

interface Access {
  readonly token: string;
  readonly untilMs: number;
}

/** Name of Google's service in failures. */
export const playProvider = 'play integrity';
const scope = 'https://www.googleapis.com/auth/playintegrity';
const timeoutMsUsual = 8_000;
const grantSeconds = 300;
/** An access token is not used in its last minute. */
const spareMs = 60_000;

const granted = z.object({
  access_token: z.string().min(1).max(4096),
  token_type: z.literal('Bearer'),
  expires_in: z.int().min(1).max(86_400),
});
const decoded = z.object({ tokenPayloadExternal: z.unknown() });

/**
 * Creates a function that posts JSON to Google's service with a service account. It returns the
 * response, whatever its status, and reuses an access token until shortly before its end.
 * @throws Failure `dependency_unavailable`
 */
export function createPlayCaller(
  options: PlayOptions,
): (path: string, body: object) => Promise<VendorAnswer> {
  const { url, clock, timeoutMs = timeoutMsUsual } = options;
  let held: Access | null = null;
  const grant = singleFlight(async () => (held = await askAccess(options, timeoutMs)));
  return async (path, body) => {
    const isFresh = held !== null && clock().getTime() < held.untilMs;
    const access = isFresh && held ? held : await grant();
    const answer = await postToVendor(playProvider, `${url}${path}`, timeoutMs, {
      headers: { authorization: `Bearer ${access.token}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    if (answer.status === 401) held = null;
    return answer;
  };
}

/**
 * Creates a decoder that uses Google: `POST /v1/{package}:decodeIntegrityToken`, with a service
 * account.
 */
export function createPlayDecoder(options: PlayOptions): PlayDecoder {
  const post = createPlayCaller(options);
  return {
    async decode(packageName, token) {
      if (token.length > playTokenLengthMax) return null;
      const path = `/v1/${encodeURIComponent(packageName)}:decodeIntegrityToken`;
      const { status, text, headers } = await post(path, { integrityToken: token });
      if (status === 400) return null;
      const answer = status === 200 ? decoded.safeParse(jsonOf(text)) : null;
      if (!answer?.success) throw providerDown(playProvider, status, headers);
      return answer.data.tokenPayloadExternal ?? null;
    },
  };
}

/** Exchanges a JWT that the account's key signed for an access token (RFC 7523 §2.1). */
async function askAccess({ account, clock }: PlayOptions, timeoutMs: number): Promise<Access> {
  const now = clock();
  const seconds = Math.floor(now.getTime() / 1000);
  const assertion = await new SignJWT({ scope })
    .setProtectedHeader({ alg: 'RS256', typ: 'JWT', kid: account.private_key_id })
    .setIssuer(account.client_email)
    .setAudience(account.token_uri)
    .setIssuedAt(seconds)
    .setExpirationTime(seconds + grantSeconds)
    .sign(account.private_key);
  const { status, text, headers } = await postToVendor(playProvider, account.token_uri, timeoutMs, {
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({
      grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer',
      assertion,
    }).toString(),
  });
  const answer = status === 200 ? granted.safeParse(jsonOf(text)) : null;
  if (!answer?.success) throw providerDown(`${playProvider}, access`, status, headers);
  const { access_token: token, expires_in: lifeSeconds } = answer.data;
  return { token, untilMs: now.getTime() + lifeSeconds * 1000 - spareMs };
}
