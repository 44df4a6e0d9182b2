import { randomBytes } from 'node:crypto';
import { expect } from 'vitest';
import type { Seed } from '../../../cli/data-directory/seed.ts';
import type { Db } from '../../../db/client.ts';
import { randomIds } from '../../../db/ids.ts';
import type { SsoProviderRow } from '../../../db/queries/sso-providers.ts';
import { call, type Answer } from '../http/client.ts';
import { encode, type Members } from '../keys/bundles.ts';
import { ownPlatform } from '../platform/own-platform.ts';
import {
  newSigningKey,
  signWith,
  startIssuer,
  type IssuerStandIn,
  type SigningKey,
} from '../stand-ins/oauth/issuer.ts';
import { newAccount } from './accounts.ts';
import { newCertUser } from './cert-users.ts';

/**
 * Our client credentials at the issuers of the tests. The secret has characters that require
 * escaping.
 */
export const ssoClient = { clientId: 'trustcheck', clientSecret: 's3cret:/+%&=~' } as const;

/** An issuer with one published key. */
export interface KeyedIssuer {
  readonly issuer: IssuerStandIn;
  readonly key: SigningKey;
}

export async function startKeyedIssuer(alg: SigningKey['alg'] = 'ES256'): Promise<KeyedIssuer> {
  const issuer = await startIssuer(ssoClient);
  // The API may have cached the keys of an earlier issuer of this run on the same port.
  const key = newSigningKey(alg, `key-${alg}-${randomBytes(6).toString('hex')}`);
  issuer.keys = [key];
  return { issuer, key };
}

/** An issuer, an account, and the operator who may configure the account's providers. */
export interface SignInStage {
  readonly idp: KeyedIssuer;
  readonly account: Seed;
  /** The operator's session in the account. */
  readonly polyadmin: Pick<Seed, 'account_id' | 'api_key'>;
}

export async function startSignIn(db: Db, name: string): Promise<SignInStage> {
  const { foreign } = ownPlatform();
  const idp = await startKeyedIssuer();
  const account = await newAccount(name);
  const { token } = await newCertUser(db, foreign.account_id, ['POLYADMIN']);
  return { idp, account, polyadmin: { account_id: account.account_id, api_key: token } };
}

/** Stops the issuer and expects that it recorded no protocol error. */
export async function endSignIn({ issuer }: KeyedIssuer): Promise<void> {
  expect(issuer.faults).toEqual([]);
  await issuer.stop();
}

/** Claims of an access token (RFC 9068 §2.2), of a new person by default. */
export function accessClaims(issuer: string, changes: Members = {}): Members {
  const iat = Math.floor(Date.now() / 1000);
  return {
    iss: issuer,
    sub: randomIds.make('sub'),
    aud: ssoClient.clientId,
    client_id: ssoClient.clientId,
    iat,
    exp: iat + 600,
    jti: randomIds.make('jti'),
    groups: ['staff'],
    ...changes,
  };
}

/** An access token signed by its issuer, with changed members (`undefined` omits one). */
export function accessToken(
  { issuer, key }: KeyedIssuer,
  claims: Members = {},
  header: Members = {},
): string {
  const head = { alg: key.alg, typ: 'at+jwt', kid: key.kid, ...header };
  const body = accessClaims(issuer.issuer, claims);
  return signWith(key, `${encode(head)}.${encode(body)}`);
}

/** A row of a provider. */
export function providerRow(issuer: string, changes: Partial<SsoProviderRow> = {}): SsoProviderRow {
  return {
    provider: 'a-provider',
    account_id: 1,
    kind: 'jwt',
    enabled: true,
    issuer,
    client_id: ssoClient.clientId,
    client_secret_sealed: null,
    audience: null,
    client_ids: [],
    token_type: 'at+jwt',
    email_domains: [],
    group_claim: 'groups',
    group_roles: { staff: 'MEMBER', admins: 'ADMIN' },
    role_ceiling: 'ADMIN',
    created_at: new Date(0),
    updated_at: new Date(0),
    ...changes,
  };
}

let last = 0;
/** Returns a unique provider name. */
export const newProvider = (mark: string): string => `${mark}-${(last += 1)}`;

/** Adds a provider that maps `staff` to members and `admins` to admins. Returns its name. */
export async function putProvider(
  name: string,
  changes: Members,
  { account_id, api_key: token }: Pick<Seed, 'account_id' | 'api_key'>,
): Promise<string> {
  const path = `/v2/accounts/${account_id}/sso-providers/${name}`;
  const usual = {
    kind: 'jwt',
    client_id: ssoClient.clientId,
    group_roles: { staff: 'MEMBER', readers: 'VIEWER', admins: 'ADMIN' },
    role_ceiling: 'ADMIN',
  };
  const answer = await call('PUT', path, { token, body: { ...usual, ...changes } });
  if (![200, 201].includes(answer.status)) throw new Error(`no provider was put: ${answer.text}`);
  return name;
}

/** Exchanges a provider's access token. */
export const exchange = (provider: string, access_token: string): Promise<Answer> =>
  call('POST', '/api/v1/auth/token', {
    body: { grant_type: 'sso_exchange', provider, access_token },
  });

/** Returns the claims of a session token. */
export function claimsOf({ body }: Answer): Members {
  const [, claims = ''] = String(body['session_token']).split('.');
  return JSON.parse(Buffer.from(claims, 'base64url').toString()) as Members;
}
