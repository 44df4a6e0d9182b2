import { randomIds } from '../db/ids.ts';
import type { SsoProviderRow } from '../db/queries/sso-providers.ts';
import { encode, type Members } from './bundles.ts';
import {
  newSigningKey,
  signWith,
  startIssuer,
  type IssuerStandIn,
  type SigningKey,
} from './stand-ins/issuer.ts';

/** Who we are at the issuers of the tests; a secret whose characters have to be escaped. */
export const ssoClient = { clientId: 'trustcheck', clientSecret: 's3cret:/ +ü%' } as const;

/** An issuer with a key it publishes. */
export interface KeyedIssuer {
  readonly issuer: IssuerStandIn;
  readonly key: SigningKey;
}

export async function startKeyedIssuer(alg: SigningKey['alg'] = 'ES256'): Promise<KeyedIssuer> {
  const issuer = await startIssuer(ssoClient);
  const key = newSigningKey(alg, `key-${alg}`);
  issuer.keys = [key];
  return { issuer, key };
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
