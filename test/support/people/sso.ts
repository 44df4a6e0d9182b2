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

/** Who we are at the issuers of the tests; a secret whose characters have to be escaped. */
export const ssoClient = { clientId: 'trustcheck', clientSecret: 's3cret:/+%&=~' } as const;

/** An issuer with a key it publishes. */
export interface KeyedIssuer {
  readonly issuer: IssuerStandIn;
  readonly key: SigningKey;
}

export async function startKeyedIssuer(alg: SigningKey['alg'] = 'ES256'): Promise<KeyedIssuer> {
  const issuer = await startIssuer(ssoClient);
  // The API may know another issuer of this run under the same port, whose keys it has kept.
  const key = newSigningKey(alg, `key-${alg}-${randomBytes(6).toString('hex')}`);
  issuer.keys = [key];
  return { issuer, key };
}

/** What an account signs in by: an issuer, and who may put its providers. */
export interface SignInStage {
  readonly idp: KeyedIssuer;
  readonly account: Seed;
  /** The operator's session, at work on the account. */
  readonly polyadmin: Pick<Seed, 'account_id' | 'api_key'>;
}

export async function startSignIn(db: Db, name: string): Promise<SignInStage> {
  const { foreign } = ownPlatform();
  const idp = await startKeyedIssuer();
  const account = await newAccount(name);
  const { token } = await newCertUser(db, foreign.account_id, ['POLYADMIN']);
  return { idp, account, polyadmin: { account_id: account.account_id, api_key: token } };
}

/** Ends the issuer, which must have found nothing wrong with how it was asked. */
export async function endSignIn({ issuer }: KeyedIssuer): Promise<void> {
  expect(issuer.faults).toEqual([]);
  await issuer.stop();
}

/** What an access token says (RFC 9068 §2.2), of a new person unless told otherwise. */
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

/** An access token as its issuer signs it, with members changed (`undefined` leaves one out). */
export function accessToken(
  { issuer, key }: KeyedIssuer,
  claims: Members = {},
  header: Members = {},
): string {
  const head = { alg: key.alg, typ: 'at+jwt', kid: key.kid, ...header };
  const body = accessClaims(issuer.issuer, claims);
  return signWith(key, `${encode(head)}.${encode(body)}`);
}

/** A provider as its row has it. */
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
/** A name no other provider has. */
export const newProvider = (mark: string): string => `${mark}-${(last += 1)}`;

/** Puts a provider whose `staff` are members and whose `admins` are; gives its name. */
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

/** What a session token says. */
export function claimsOf({ body }: Answer): Members {
  const [, claims = ''] = String(body['session_token']).split('.');
  return JSON.parse(Buffer.from(claims, 'base64url').toString()) as Members;
}
