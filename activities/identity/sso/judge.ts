import {
  fetchUserInfo,
  None,
  tokenIntrospection,
  WWWAuthenticateChallengeError,
} from 'openid-client';
import type { SsoProviderRow } from '../../../db/queries/sso-providers.ts';
import type { Address } from '../../../domain/identity/email-address.ts';
import type { Role } from '../../../domain/names.ts';
import { takeApart } from '../../../domain/tokens/jws.ts';
import { assertRule } from './access-token-refused.ts';
import { accessTokenBytesMax, verifySignedToken } from './access-token.ts';
import {
  authTimeOf,
  checkAudience,
  checkClient,
  checkIssuer,
  checkLifetime,
  checkUse,
  groupsOf,
  rolesOf,
  subjectOf,
  tellsGroups,
  vouchedAddress,
  type Claims,
} from './claims.ts';
import { authenticationOf, clientAt } from './client.ts';
import type { Issuers } from './issuers.ts';
import { withProviderErrors, failureOf, providerError } from './provider-errors.ts';

/** A provider with its secret opened. */
export interface OpenedProvider {
  readonly row: SsoProviderRow;
  readonly clientSecret: string | null;
}

/** What a good access token proves. */
export interface JudgedToken {
  /** As the issuer calls the person. */
  readonly subject: string;
  /** Those of its groups, up to the ceiling: none is no sign-in, and an end of what was given. */
  readonly roles: readonly Role[];
  /** An address of theirs that the provider is believed for. */
  readonly address: Address | null;
  readonly authTime: Date;
  /** When the token ends; null where its issuer does not say. */
  readonly expiresAt: Date | null;
}

/** RFC 6750 §2.1. */
const bearerForm = /^[A-Za-z0-9\-._~+/]+=*$/;
/** An opaque token may have two dots, too. */
const isJwt = (token: string): boolean => takeApart(token, accessTokenBytesMax) !== null;

/**
 * Judges an access token by its provider's row: `jwt` by the issuer's keys, `introspection` by
 * asking it, `userinfo` by the one or the other, as the token's form has it, and by what the issuer
 * says of its subject besides. Userinfo alone proves nothing: it answers for a token of any client.
 * @throws AccessTokenRefused with the first rule it breaks
 * @throws Failure `dependency_unavailable` where the issuer cannot be asked, or answers what it
 *   must not: that says nothing of the token
 */
export async function judgeAccessToken(
  issuers: Issuers,
  provider: OpenedProvider,
  token: string,
  now: Date,
): Promise<JudgedToken> {
  const { row } = provider;
  assertRule('size', token.length <= accessTokenBytesMax);
  assertRule('form', bearerForm.test(token));
  const isSigned = row.kind === 'jwt' || (row.kind === 'userinfo' && isJwt(token));
  const { claims, isTyped } = isSigned
    ? await verifySignedToken(issuers, row, token)
    : { claims: await introspect(issuers, provider, token), isTyped: false };
  checkIssuer(claims, row.issuer, !isSigned);
  checkAudience(claims, row, !isSigned);
  checkClient(claims, row);
  checkUse(claims, isTyped);
  const expiresAt = checkLifetime(claims, now, !isSigned);
  const subject = subjectOf(claims);
  const more = row.kind === 'userinfo' ? await askUserInfo(issuers, provider, token, subject) : {};
  const roles = rolesOf(row, groupsOf(groupsDocument(claims, more, row), row.group_claim));
  const address = vouchedAddress(Object.hasOwn(more, 'email') ? more : claims, row);
  return { subject, roles, address, authTime: authTimeOf(claims, now), expiresAt };
}

/**
 * Of two documents the one that speaks of the groups, userinfo before the token. They are never
 * mixed: what one says of a claim (`email_verified`, `_claim_names`) is said of its own.
 */
function groupsDocument(claims: Claims, more: Claims, row: Pick<SsoProviderRow, 'group_claim'>) {
  return tellsGroups(more, row.group_claim) ? more : claims;
}

/** RFC 7662: the issuer's word on a token, asked in our name. */
async function introspect(
  issuers: Issuers,
  provider: OpenedProvider,
  token: string,
): Promise<Claims> {
  const metadata = await issuers.metadataOf(provider.row.issuer);
  if (!metadata.introspection_endpoint) throw providerError('it has no introspection');
  if (provider.clientSecret === null) throw providerError('no secret to ask it with');
  const methods =
    metadata.introspection_endpoint_auth_methods_supported ??
    metadata.token_endpoint_auth_methods_supported;
  const auth = authenticationOf(methods, provider.clientSecret);
  const config = clientAt(issuers, metadata, provider.row.client_id, auth);
  const claims = await issuers.asking.within(provider.row.provider, () =>
    withProviderErrors(tokenIntrospection(config, token, { token_type_hint: 'access_token' })),
  );
  assertRule('active', claims.active);
  return { ...claims };
}

/** OpenID Connect Core §5.3: what it says beside the token, of the very same subject. */
async function askUserInfo(
  issuers: Issuers,
  provider: OpenedProvider,
  token: string,
  subject: string,
): Promise<Claims> {
  const metadata = await issuers.metadataOf(provider.row.issuer);
  if (!metadata.userinfo_endpoint) throw providerError('it has no userinfo');
  const config = clientAt(issuers, metadata, provider.row.client_id, None());
  try {
    const ask = () => fetchUserInfo(config, token, subject);
    return { ...(await issuers.asking.within(provider.row.provider, ask)) };
  } catch (error) {
    assertRule('userinfo', !isRefusal(error));
    throw failureOf(error);
  }
}

/** RFC 6750 §3.1: the token is not good for it; OpenID Connect Core §5.3.2: of somebody else. */
function isRefusal(error: unknown): boolean {
  if (error instanceof WWWAuthenticateChallengeError) return isOfToken(error.status);
  if (!(error instanceof Error)) return false;
  const { cause } = error;
  if (cause instanceof Response) return isOfToken(cause.status);
  return Object(cause).attribute === 'sub' || Object(Object(cause).cause).attribute === 'sub';
}

const isOfToken = (status: number): boolean => status === 401 || status === 403;
