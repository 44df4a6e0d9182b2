import { constants, generateKeyPairSync, sign, type JsonWebKey, type KeyObject } from 'node:crypto';
import {
  startProvider,
  type Provider,
  type ProviderAnswer,
  type ProviderRequest,
} from '../provider.ts';

type Members = Readonly<Record<string, unknown>>;

/** A key of the issuer, published or not. */
export interface SigningKey {
  readonly kid: string;
  readonly alg: 'RS256' | 'PS256' | 'ES256';
  readonly privateKey: KeyObject;
  readonly jwk: JsonWebKey & Members;
}

export interface IssuerStandIn extends Provider {
  /** Issuer identifier: the address of its discovery document. */
  readonly issuer: string;
  /** Published keys. A test can replace them. */
  keys: readonly SigningKey[];
  /** Overrides members of its metadata. */
  metadata: Members;
  /** Introspection answers by token. Any other token is inactive. */
  readonly tokens: Map<string, Members>;
  /** Userinfo answers by token. */
  readonly people: Map<string, Members>;
  /** Protocol errors of our client. */
  readonly faults: readonly string[];
}

/** Our client credentials at the issuer. */
export interface IssuerClient {
  readonly clientId: string;
  readonly clientSecret: string;
}

export function newSigningKey(alg: SigningKey['alg'], kid: string): SigningKey {
  const { privateKey, publicKey } =
    alg === 'ES256'
      ? generateKeyPairSync('ec', { namedCurve: 'P-256' })
      : generateKeyPairSync('rsa', { modulusLength: 2048 });
  return { kid, alg, privateKey, jwk: { ...publicKey.export({ format: 'jwk' }), kid, use: 'sig' } };
}

/** Signs two segments unchanged. */
export function signWith({ alg, privateKey: key }: SigningKey, input: string): string {
  const options = {
    RS256: { key },
    PS256: {
      key,
      padding: constants.RSA_PKCS1_PSS_PADDING,
      saltLength: constants.RSA_PSS_SALTLEN_DIGEST,
    },
    ES256: { key, dsaEncoding: 'ieee-p1363' as const },
  }[alg];
  return `${input}.${sign('sha256', Buffer.from(input), options).toString('base64url')}`;
}

/**
 * An OpenID provider over HTTP: discovery, keys, introspection (RFC 7662, `client_secret_basic`)
 * and userinfo. It answers client errors with 400 and records them in `faults`.
 */
export async function startIssuer(client: IssuerClient): Promise<IssuerStandIn> {
  const faults: string[] = [];
  const tokens = new Map<string, Members>();
  const people = new Map<string, Members>();
  const provider = await startProvider((request) => {
    const answer = serve(issuer, client, request);
    if (answer.status === 400) faults.push(`${request.path}: ${JSON.stringify(answer.body)}`);
    return answer;
  });
  const issuer: IssuerStandIn = {
    ...provider,
    issuer: provider.url,
    keys: [],
    metadata: {},
    tokens,
    people,
    faults,
  };
  return issuer;
}

const wrong = (what: string): ProviderAnswer => ({ status: 400, body: { error: what } });

function serve(
  issuer: IssuerStandIn,
  client: IssuerClient,
  request: ProviderRequest,
): ProviderAnswer {
  const { method, path, headers } = request;
  if (!String(headers.accept).includes('application/json')) return wrong('accept');
  if (headers.cookie !== undefined || headers.host !== new URL(issuer.url).host) {
    return wrong('headers');
  }
  switch (`${method} ${path}`) {
    case 'GET /.well-known/openid-configuration':
      return openly(request) ?? { status: 200, body: metadataOf(issuer) };
    case 'GET /bot/.well-known/openidconfiguration':
      return openly(request) ?? { status: 200, body: issuer.metadata };
    case 'GET /keys':
      return openly(request) ?? { status: 200, body: { keys: issuer.keys.map(({ jwk }) => jwk) } };
    case 'POST /introspect':
      return introspect(issuer, client, request);
    case 'GET /userinfo':
      return tell(issuer, request);
    default:
      return wrong(`${method} ${path}`);
  }
}

function openly({ headers, body }: ProviderRequest): ProviderAnswer | null {
  if (headers.authorization !== undefined) return wrong('a credential where none is asked');
  return body.length > 0 ? wrong('a body') : null;
}

function metadataOf({ url, metadata }: IssuerStandIn): Members {
  return {
    issuer: url,
    authorization_endpoint: `${url}/authorize`,
    token_endpoint: `${url}/token`,
    jwks_uri: `${url}/keys`,
    introspection_endpoint: `${url}/introspect`,
    userinfo_endpoint: `${url}/userinfo`,
    response_types_supported: ['code'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['RS256'],
    ...metadata,
  };
}

/** RFC 7662 §2.1, RFC 6749 §2.3.1. */
function introspect(
  { tokens }: IssuerStandIn,
  { clientId, clientSecret }: IssuerClient,
  { headers, body }: ProviderRequest,
): ProviderAnswer {
  const words = [clientId, clientSecret].map((word) =>
    new URLSearchParams({ word }).toString().slice('word='.length),
  );
  const expected = `Basic ${Buffer.from(words.join(':')).toString('base64')}`;
  if (decodeURIComponent(String(headers.authorization)) !== decodeURIComponent(expected)) {
    return { status: 401, headers: { 'WWW-Authenticate': 'Basic realm="issuer"' } };
  }
  if (!headers['content-type']?.startsWith('application/x-www-form-urlencoded')) {
    return wrong('content-type');
  }
  const form = new URLSearchParams(body.toString());
  const token = form.get('token');
  if ([...form.keys()].toSorted().join() !== 'token,token_type_hint' || !token) {
    return wrong('parameters');
  }
  if (form.get('token_type_hint') !== 'access_token') return wrong('token_type_hint');
  const told = tokens.get(token);
  return { status: 200, body: told ? { active: true, ...told } : { active: false } };
}

/** OpenID Connect Core §5.3, RFC 6750 §2.1. */
function tell({ people }: IssuerStandIn, { headers }: ProviderRequest): ProviderAnswer {
  const [scheme, token = ''] = String(headers.authorization).split(' ');
  if (scheme !== 'Bearer') return wrong('no bearer token');
  const told = people.get(token);
  if (told) return { status: 200, body: told };
  return { status: 401, headers: { 'WWW-Authenticate': 'Bearer error="invalid_token"' } };
}
