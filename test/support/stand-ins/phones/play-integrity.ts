import { createHash, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { jwtVerify } from 'jose';
import { z } from 'zod';
import { playTokenLengthMax } from '../../../../domain/proofs/device/play/play-token.ts';
import {
  startProvider,
  type Provider,
  type ProviderAnswer,
  type ProviderRequest,
} from '../provider.ts';

export interface PlayIntegrityStandIn extends Provider {
  /** The key file of the only service account. */
  readonly account: Readonly<Record<string, string>>;
  /** Issues a token of an app. It decodes to this payload any number of times. */
  issue(packageName: string, payload: unknown): string;
  /** Returns the bits written for the phone with this token. */
  recalled(token: string): Readonly<Record<string, boolean>>;
  /** Expires all issued access tokens. */
  endAccess(): void;
}

const email = 'decoder@example-project.iam.example.test';
const keyId = 'a-key-of-the-account';
const scope = 'https://www.googleapis.com/auth/playintegrity';
const grantType = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
const lifeSecondsMax = 3600;

const refused = (status: number, reason: string): ProviderAnswer => ({
  status,
  body: { error: { code: status, status: reason } },
});

/**
 * Combines two Google services. `POST /token` issues an access token for a JWT of the account's key
 * (RFC 7523), and accepts each JWT once. With an access token, `POST
 * /v1/{package}:decodeIntegrityToken` decodes tokens issued for that package, and `POST
 * /v1/{package}/deviceRecall:write` stores bits for its phone.
 */
export async function startPlayIntegrity(now: () => Date): Promise<PlayIntegrityStandIn> {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const issued = new Map<string, { packageName: string; payload: unknown }>();
  const used = new Set<string>();
  const written = new Map<string, Readonly<Record<string, boolean>>>();
  let access = new Set<string>();
  let url = '';
  const answer = async (request: ProviderRequest): Promise<ProviderAnswer> => {
    if (request.method !== 'POST') return { status: 405, headers: { Allow: 'POST' } };
    if (request.path === '/token') {
      const fault = await grantFaultOf(request, publicKey, `${url}/token`, used, now());
      if (fault) return { status: 400, body: { error: fault } };
      const token = createHash('sha256').update(request.body).digest('base64url');
      access.add(token);
      const body = { access_token: token, token_type: 'Bearer', expires_in: lifeSecondsMax };
      return { status: 200, body };
    }
    const [, packageName, action] =
      /^\/v1\/([\w.]+)(:decodeIntegrityToken|\/deviceRecall:write)$/.exec(request.path) ?? [];
    if (!packageName) return refused(404, 'NOT_FOUND');
    const [scheme, bearer = ''] = String(request.headers.authorization).split(' ');
    if (scheme !== 'Bearer' || !access.has(bearer)) return refused(401, 'UNAUTHENTICATED');
    if (action === '/deviceRecall:write') {
      const { integrityToken, newValues } = recallOf(request) ?? { integrityToken: '' };
      if (issued.get(integrityToken)?.packageName !== packageName) {
        return refused(400, 'INVALID_ARGUMENT');
      }
      written.set(integrityToken, { ...written.get(integrityToken), ...newValues });
      return { status: 200, body: {} };
    }
    const token = tokenOf(request);
    const found = token === null ? undefined : issued.get(token);
    if (found?.packageName !== packageName) return refused(400, 'INVALID_ARGUMENT');
    return { status: 200, body: { tokenPayloadExternal: found.payload } };
  };
  const provider = await startProvider(answer);
  url = provider.url;
  return {
    ...provider,
    account: {
      type: 'service_account',
      client_email: email,
      private_key_id: keyId,
      private_key: String(privateKey.export({ format: 'pem', type: 'pkcs8' })),
      token_uri: `${url}/token`,
    },
    issue(packageName, payload) {
      const token = `play-token-${issued.size}`;
      issued.set(token, { packageName, payload });
      return token;
    },
    recalled: (token) => written.get(token) ?? {},
    endAccess: () => void (access = new Set()),
  };
}

/** Returns the error of a token request (RFC 6749 §5.2); null without one. */
async function grantFaultOf(
  { headers, body }: ProviderRequest,
  key: KeyObject,
  audience: string,
  used: Set<string>,
  currentDate: Date,
): Promise<string | null> {
  if (headers['content-type'] !== 'application/x-www-form-urlencoded') return 'invalid_request';
  const form = new URLSearchParams(body.toString());
  const assertion = form.get('assertion') ?? '';
  if ([...form.keys()].toSorted().join() !== 'assertion,grant_type') return 'invalid_request';
  if (form.get('grant_type') !== grantType) return 'unsupported_grant_type';
  try {
    const { payload, protectedHeader } = await jwtVerify(assertion, key, {
      algorithms: ['RS256'],
      typ: 'JWT',
      issuer: email,
      audience,
      currentDate,
      requiredClaims: ['iat', 'exp', 'scope'],
      maxTokenAge: lifeSecondsMax,
    });
    const lifeSeconds = (payload.exp ?? Infinity) - (payload.iat ?? 0);
    const isOurs = protectedHeader.kid === keyId && lifeSeconds <= lifeSecondsMax;
    if (!isOurs || used.has(assertion)) return 'invalid_grant';
    used.add(assertion);
    return payload['scope'] === scope ? null : 'invalid_scope';
  } catch {
    return 'invalid_grant';
  }
}

const recall = z.strictObject({
  integrityToken: z.string().max(playTokenLengthMax),
  newValues: z.partialRecord(z.enum(['bitFirst', 'bitSecond', 'bitThird']), z.boolean()),
});

/** Parses the bits to write for a phone; null for anything else. */
const recallOf = ({ headers, body }: ProviderRequest): z.output<typeof recall> | null =>
  headers['content-type'] === 'application/json'
    ? (recall.safeParse(JSON.parse(body.toString())).data ?? null)
    : null;

/** Parses the only member of the body; null for anything else. */
function tokenOf({ headers, body }: ProviderRequest): string | null {
  if (headers['content-type'] !== 'application/json') return null;
  const { integrityToken, ...others } = JSON.parse(body.toString());
  const isOne = typeof integrityToken === 'string' && Object.keys(others).length === 0;
  return isOne && integrityToken.length <= playTokenLengthMax ? integrityToken : null;
}
