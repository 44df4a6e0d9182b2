import { createHash, randomBytes } from 'node:crypto';
import { startProvider, type Provider, type ProviderAnswer } from '../provider.ts';
import { newSigningKey, signWith, type IssuerClient } from './issuer.ts';
import { authenticated, refused, tripped } from './oauth.ts';

type Members = Readonly<Record<string, unknown>>;

/** Our client on the platform. */
export const confBClient: IssuerClient = {
  clientId: '6f1d2b0e-0000-4000-8000-000000000001',
  clientSecret: 'a~secret/+of&ours',
};

const redirectUri = 'https://portal.example.test/conf-b';
/** The role of an administrator in every organization there. */
export const adminRole = '00000000-0000-4000-8000-0000000000ad';

/** The settings of a platform that uses this login. */
export const confBSettings = ({ url }: Pick<Provider, 'url'>) => ({
  CONF_B_CLIENT_ID: confBClient.clientId,
  CONF_B_CLIENT_SECRET: confBClient.clientSecret,
  CONF_B_LOGIN_URL: url,
  CONF_B_REDIRECT_URI: redirectUri,
  CONF_B_SCOPE: 'https://platform.example.test/.default',
  CONF_B_ADMIN_ROLES: `${adminRole}, 00000000-0000-4000-8000-0000000000ae`,
});

export interface ConfBLogin extends Provider {
  /** Overrides claims of its ID tokens. */
  claims: Members;
  /** Protocol errors of our client. */
  readonly faults: readonly string[];
}

interface Grant {
  readonly tenant: string;
  readonly nonce: string;
  readonly challenge: string;
  isSpent: boolean;
}

/**
 * The login of conference platform B: consent of an organization's administrator (`adminconsent` of
 * its v2.0 endpoints), and OpenID Connect with PKCE at the issuer of each organization. The
 * parameter `as` in the address selects who answers: an organization, or `nobody`, who refuses.
 */
export async function startConfBLogin(): Promise<ConfBLogin> {
  const key = newSigningKey('RS256', 'a-key');
  const grants = new Map<string, Grant>();
  const consented = new Set<string>();
  const faults: string[] = [];
  const provider = await startProvider((request) => {
    const { pathname, searchParams } = new URL(request.path, login.url);
    const [, tenant = '', ...rest] = pathname.split('/');
    const answer = ((): ProviderAnswer => {
      switch (`${request.method} /${rest.join('/')}`) {
        case 'GET /v2.0/adminconsent':
          return tenant === 'organizations'
            ? adminConsent(consented, searchParams)
            : refused('invalid_request', 'tenant');
        case 'GET /v2.0/.well-known/openid-configuration':
          return { status: 200, body: metadataOf(login.url, tenant) };
        case 'GET /discovery/v2.0/keys':
          return { status: 200, body: { keys: [key.jwk] } };
        case 'GET /oauth2/v2.0/authorize':
          return authorize(grants, consented, tenant, searchParams);
        case 'POST /oauth2/v2.0/token':
          return authenticated(confBClient, request, (form) => exchange(tenant, form));
        default:
          return refused('invalid_request', `${request.method} ${request.path}`);
      }
    })();
    faults.push(...tripped(request, answer));
    return answer;
  });
  const exchange = (tenant: string, form: URLSearchParams): ProviderAnswer => {
    if (form.get('grant_type') !== 'authorization_code') return refused('unsupported_grant_type');
    const grant = grants.get(form.get('code') ?? '');
    const digest = createHash('sha256').update(form.get('code_verifier') ?? '');
    const isOwn = grant?.tenant === tenant && digest.digest('base64url') === grant.challenge;
    if (!grant || grant.isSpent || !isOwn) return refused('invalid_grant', 'code');
    if (form.get('redirect_uri') !== redirectUri) return refused('invalid_grant', 'redirect_uri');
    grant.isSpent = true;
    const now = Math.floor(Date.now() / 1000);
    const claims = {
      iss: `${login.url}/${tenant}/v2.0`,
      sub: 'an-administrator',
      aud: confBClient.clientId,
      iat: now,
      nbf: now,
      exp: now + 3600,
      nonce: grant.nonce,
      tid: tenant,
      wids: [adminRole],
      ver: '2.0',
      ...login.claims,
    };
    const parts = [{ alg: 'RS256', kid: key.kid, typ: 'JWT' }, claims].map((part) =>
      Buffer.from(JSON.stringify(part)).toString('base64url'),
    );
    const token = (): string => randomBytes(24).toString('base64url');
    return {
      status: 200,
      body: {
        token_type: 'Bearer',
        expires_in: 3600,
        scope: 'openid profile',
        access_token: token(),
        id_token: signWith(key, parts.join('.')),
        // Some providers send it without a request.
        refresh_token: token(),
      },
    };
  };
  const login: ConfBLogin = { ...provider, claims: {}, faults };
  return login;
}

function metadataOf(url: string, tenant: string): Members {
  const at = `${url}/${tenant}`;
  return {
    issuer: `${at}/v2.0`,
    authorization_endpoint: `${at}/oauth2/v2.0/authorize`,
    token_endpoint: `${at}/oauth2/v2.0/token`,
    jwks_uri: `${at}/discovery/v2.0/keys`,
    response_types_supported: ['code', 'id_token', 'code id_token', 'id_token token'],
    subject_types_supported: ['pairwise'],
    id_token_signing_alg_values_supported: ['RS256'],
    token_endpoint_auth_methods_supported: [
      'client_secret_post',
      'private_key_jwt',
      'client_secret_basic',
    ],
  };
}

const wrongs = (asked: URLSearchParams, rules: Readonly<Record<string, RegExp>>): string[] => {
  if (new Set(asked.keys()).size !== [...asked].length) return ['twice'];
  const all = { ...rules, state: /^[A-Za-z0-9_-]{43,}$/ };
  return Object.entries(all).flatMap(([name, rule]) =>
    rule.test(asked.get(name) ?? '') ? [] : [name],
  );
};

const isUs = (asked: URLSearchParams): boolean =>
  asked.get('client_id') === confBClient.clientId && asked.get('redirect_uri') === redirectUri;

function backWith(members: Readonly<Record<string, string>>): ProviderAnswer {
  const back = new URL(redirectUri);
  back.search = new URLSearchParams(members).toString();
  return { status: 302, headers: { Location: back.href } };
}

const denial = (state: string): ProviderAnswer =>
  backWith({
    error: 'access_denied',
    error_description: 'Nobody has consented.',
    state,
  });

function adminConsent(consented: Set<string>, asked: URLSearchParams): ProviderAnswer {
  if (!isUs(asked)) return refused('invalid_request', 'client');
  const wrong = wrongs(asked, { scope: /^https:\/\/\S+\/\.default$/ });
  if (wrong.length > 0) return refused('invalid_request', wrong.join());
  const [state, tenant] = [asked.get('state') ?? '', asked.get('as') ?? ''];
  if (tenant === 'nobody') return denial(state);
  consented.add(tenant);
  return backWith({ admin_consent: 'True', tenant, state, scope: asked.get('scope') ?? '' });
}

/** A person of one organization cannot sign in at another, or at one without consent. */
function authorize(
  grants: Map<string, Grant>,
  consented: ReadonlySet<string>,
  tenant: string,
  asked: URLSearchParams,
): ProviderAnswer {
  if (!isUs(asked)) return refused('invalid_request', 'client');
  const wrong = wrongs(asked, {
    response_type: /^code$/,
    scope: /^openid(?: profile)?$/,
    nonce: /^[A-Za-z0-9_-]{43,}$/,
    code_challenge: /^[A-Za-z0-9_-]{43}$/,
    code_challenge_method: /^S256$/,
  });
  if (wrong.length > 0) return refused('invalid_request', wrong.join());
  const state = asked.get('state') ?? '';
  const who = asked.get('as') ?? '';
  if (who === 'nobody') return denial(state);
  if (who !== tenant || !consented.has(tenant)) {
    return backWith({ error: 'invalid_request', error_description: 'not of here', state });
  }
  const code = randomBytes(24).toString('base64url');
  grants.set(code, {
    tenant,
    nonce: asked.get('nonce') ?? '',
    challenge: asked.get('code_challenge') ?? '',
    isSpent: false,
  });
  return backWith({ code, state, session_state: 'a-session' });
}
