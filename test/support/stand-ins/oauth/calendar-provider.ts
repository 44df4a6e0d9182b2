import { createHash, randomBytes } from 'node:crypto';
import {
  startProvider,
  type Provider,
  type ProviderAnswer,
  type ProviderRequest,
} from '../provider.ts';
import { newSigningKey, signWith, type IssuerClient, type SigningKey } from './issuer.ts';
import { authenticated, refused, tripped } from './oauth.ts';

type Members = Readonly<Record<string, unknown>>;

/** Our client at the provider. The secret has characters that require escaping. */
export const calendarClient: IssuerClient = {
  clientId: 'trustcheck-calendar',
  clientSecret: 's3cret:/+%&=~',
};

/** The settings of a platform that uses this provider. */
export const calendarSettings = ({ url }: Pick<Provider, 'url'>) => ({
  CAL_ISSUER: url,
  CAL_CLIENT_ID: calendarClient.clientId,
  CAL_CLIENT_SECRET: calendarClient.clientSecret,
});

/**
 * A person at the provider. Words in the name select the behavior: `denies` consent, `unverified`
 * address, `tokenless`: no refresh token, `busy`: the first exchange is 503, `away`: every exchange
 * is 503, `forged`: an ID token signed with an unpublished key, `otherwise`: an ID token for
 * another client.
 */
export type Person = string;

interface Grant {
  readonly person: Person;
  readonly scope: string;
  readonly nonce: string;
  readonly challenge: string;
  /** Whether its code was exchanged. */
  isSpent: boolean;
  isRevoked: boolean;
  exchanges: number;
  /** The only valid refresh token. Using an earlier one counts as theft. */
  refreshToken: string | null;
  readonly earlier: Set<string>;
}

export interface CalendarStandIn extends Provider {
  /** The only address to which it redirects. */
  redirectUri: string;
  /** Overrides members of its metadata. */
  metadata: Members;
  /** Overrides claims of its ID tokens. */
  claims: Members;
  /** Protocol errors of our client. */
  readonly faults: readonly string[];
}

interface State {
  readonly key: SigningKey;
  readonly stranger: SigningKey;
  readonly grants: Map<string, Grant>;
}

/**
 * A provider of OpenID Connect and OAuth 2.0 over HTTP: consent with PKCE, single-use codes,
 * rotating refresh tokens and revocation. It answers client errors as the standards require, and
 * records them in `faults`.
 */
export async function startCalendarProvider(redirectUri: string): Promise<CalendarStandIn> {
  const faults: string[] = [];
  const state: State = {
    key: newSigningKey('ES256', 'a-key'),
    stranger: newSigningKey('ES256', 'a-key'),
    grants: new Map(),
  };
  const provider = await startProvider((request) => {
    const answer = serve(standIn, state, request);
    faults.push(...tripped(request, answer));
    return answer;
  });
  const standIn: CalendarStandIn = { ...provider, redirectUri, metadata: {}, claims: {}, faults };
  return standIn;
}

function serve(standIn: CalendarStandIn, state: State, request: ProviderRequest): ProviderAnswer {
  const { pathname, searchParams } = new URL(request.path, standIn.url);
  switch (`${request.method} ${pathname}`) {
    case 'GET /.well-known/openid-configuration':
      return { status: 200, body: metadataOf(standIn) };
    case 'GET /keys':
      return { status: 200, body: { keys: [state.key.jwk] } };
    case 'GET /authorize':
      return authorize(standIn, state, searchParams);
    case 'POST /token':
      return authenticated(calendarClient, request, (form) => exchange(standIn, state, form));
    case 'POST /revoke':
      return authenticated(calendarClient, request, (form) => revoke(state, form));
    default:
      return refused('invalid_request', `${request.method} ${request.path}`);
  }
}

function metadataOf({ url, metadata }: CalendarStandIn): Members {
  return {
    issuer: url,
    authorization_endpoint: `${url}/authorize`,
    token_endpoint: `${url}/token`,
    revocation_endpoint: `${url}/revoke`,
    jwks_uri: `${url}/keys`,
    response_types_supported: ['code'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['ES256'],
    token_endpoint_auth_methods_supported: ['client_secret_basic'],
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
    ...metadata,
  };
}

/** RFC 6749 §4.1.1, RFC 7636 §4.3, RFC 9207 §2. The name of the person determines the answer. */
function authorize(
  { url, redirectUri }: CalendarStandIn,
  { grants }: State,
  asked: URLSearchParams,
): ProviderAnswer {
  const of = (name: string): string => asked.get(name) ?? '';
  if (new Set(asked.keys()).size !== [...asked].length) return refused('invalid_request', 'twice');
  if (of('client_id') !== calendarClient.clientId) return refused('invalid_client', 'client_id');
  if (of('redirect_uri') !== redirectUri) return refused('invalid_request', 'redirect_uri');
  const wrong = [
    of('response_type') !== 'code' && 'response_type',
    !of('scope').split(' ').includes('openid') && 'scope',
    of('state').length < 43 && 'state',
    of('nonce').length < 43 && 'nonce',
    of('code_challenge_method') !== 'S256' && 'code_challenge_method',
    !/^[A-Za-z0-9_-]{43}$/.test(of('code_challenge')) && 'code_challenge',
    of('access_type') !== 'offline' && 'access_type',
    of('prompt') !== 'consent' && 'prompt',
  ].filter(Boolean);
  if (wrong.length > 0) return refused('invalid_request', wrong.join());
  const person = of('person');
  const back = new URL(redirectUri);
  back.searchParams.set('state', of('state'));
  back.searchParams.set('iss', url);
  // Real providers also send this.
  back.searchParams.set('scope', of('scope'));
  back.searchParams.set('authuser', '0');
  if (is(person, 'denies')) back.searchParams.set('error', 'access_denied');
  else {
    const code = randomBytes(24).toString('base64url');
    back.searchParams.set('code', code);
    grants.set(code, {
      person,
      scope: of('scope'),
      nonce: of('nonce'),
      challenge: of('code_challenge'),
      isSpent: false,
      isRevoked: false,
      exchanges: 0,
      refreshToken: null,
      earlier: new Set(),
    });
  }
  return { status: 302, headers: { Location: back.href } };
}

const is = (person: Person, word: string): boolean => person.split('-').includes(word);

function exchange(standIn: CalendarStandIn, state: State, form: URLSearchParams): ProviderAnswer {
  switch (form.get('grant_type')) {
    case 'authorization_code':
      return byCode(standIn, state, form);
    case 'refresh_token':
      return byRefreshToken(state, form);
    default:
      return refused('unsupported_grant_type', String(form.get('grant_type')));
  }
}

/** RFC 6749 §4.1.3 and §10.5, RFC 7636 §4.6. */
function byCode(
  standIn: CalendarStandIn,
  { grants, key, stranger }: State,
  form: URLSearchParams,
): ProviderAnswer {
  const grant = grants.get(form.get('code') ?? '');
  if (!grant) return refused('invalid_grant', 'code');
  grant.exchanges += 1;
  const { person, exchanges } = grant;
  if (is(person, 'away')) return { status: 503 };
  if (is(person, 'busy') && exchanges === 1) {
    return { status: 503, headers: { 'Retry-After': '1' } };
  }
  const verifier = form.get('code_verifier') ?? '';
  const digest = createHash('sha256').update(verifier).digest('base64url');
  if (grant.isSpent) grant.isRevoked = true;
  if (grant.isSpent || digest !== grant.challenge || !/^[\w.~-]{43,128}$/.test(verifier)) {
    return refused('invalid_grant', 'spent, or not by whom it was asked for');
  }
  if (form.get('redirect_uri') !== standIn.redirectUri) return refused('invalid_grant', 'redirect');
  grant.isSpent = true;
  const claims = {
    iss: standIn.url,
    sub: `subject-of-${person}`,
    aud: is(person, 'otherwise') ? 'another-client' : calendarClient.clientId,
    iat: Math.floor(Date.now() / 1000),
    exp: Math.floor(Date.now() / 1000) + 600,
    nonce: grant.nonce,
    email: `${person}@calendar.example.test`,
    email_verified: !is(person, 'unverified'),
    ...standIn.claims,
  };
  const signer = is(person, 'forged') ? stranger : key;
  const head = { alg: 'ES256', kid: key.kid, typ: 'JWT' };
  const input = [head, claims].map((part) =>
    Buffer.from(JSON.stringify(part)).toString('base64url'),
  );
  const id_token = signWith(signer, input.join('.'));
  return { status: 200, body: { ...tokensOf(grant, !is(person, 'tokenless')), id_token } };
}

/** RFC 6749 §6, RFC 9700 §4.14.2: a reused token was stolen and ends the grant. */
function byRefreshToken({ grants }: State, form: URLSearchParams): ProviderAnswer {
  const token = form.get('refresh_token') ?? '';
  const known = [...grants.values()];
  const reused = known.find(({ earlier }) => earlier.has(token));
  if (reused) reused.isRevoked = true;
  const grant = known.find(({ refreshToken }) => refreshToken === token);
  if (!grant || grant.isRevoked) return refused('invalid_grant', 'refresh_token');
  grant.earlier.add(token);
  return { status: 200, body: tokensOf(grant, true) };
}

function tokensOf(grant: Grant, isLasting: boolean): Members {
  if (isLasting) grant.refreshToken = randomBytes(32).toString('base64url');
  return {
    access_token: randomBytes(24).toString('base64url'),
    token_type: 'Bearer',
    expires_in: 3600,
    scope: grant.scope,
    ...(isLasting ? { refresh_token: grant.refreshToken } : {}),
  };
}

/** RFC 7009 §2: an unknown token counts as revoked. */
function revoke({ grants }: State, form: URLSearchParams): ProviderAnswer {
  const token = form.get('token');
  if (!token) return refused('invalid_request', 'token');
  for (const grant of grants.values()) {
    if (grant.refreshToken === token) grant.isRevoked = true;
  }
  return { status: 200 };
}
