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

/** A provider with its opened secret. */
export interface OpenedProvider {
  readonly row: SsoProviderRow;
  readonly clientSecret: string | null;
}

/** What a valid access token proves. */
export interface JudgedToken {
  /** Subject identifier at the issuer. */
  readonly subject: string;
  /**
   * Roles of its groups, up to the ceiling. Without any, the sign-in is refused and the membership
   * ends.
   */
  readonly roles: readonly Role[];
  /** A verified address for which the provider is trusted. */
  readonly address: Address | null;
  readonly authTime: Date;
  /** When the token expires; null if its issuer does not say. */
  readonly expiresAt: Date | null;
}

/** RFC 6750 §2.1. */
const bearerForm = /^[A-Za-z0-9\-._~+/]+=*$/;
/** Two dots alone do not make a JWT: an opaque token may have them, too. */
const isJwt = (token: string): boolean => takeApart(token, accessTokenBytesMax) !== null;

/**
 * Checks an access token by its provider's row: `jwt` with the issuer's keys, `introspection` by a
 * request to it. `userinfo` uses one or the other, depending on the token's form, and also fetches
 * userinfo. Userinfo alone proves nothing, since it answers for a token of any client.
 * @throws AccessTokenRefused with the first broken rule
 * @throws Failure `dependency_unavailable` if the issuer is unavailable or its response is invalid,
 *   which says nothing about the token
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
 * Returns the document that states the groups: userinfo, or else the token. They are never mixed,
 * since claims such as `email_verified` and `_claim_names` refer to their own document.
 */
function groupsDocument(claims: Claims, more: Claims, row: Pick<SsoProviderRow, 'group_claim'>) {
  return tellsGroups(more, row.group_claim) ? more : claims;
}

/** RFC 7662: asks the issuer about a token, as our client. */
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

/** OpenID Connect Core §5.3: returns further claims of the same subject. */
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

/** RFC 6750 §3.1: the token is refused; OpenID Connect Core §5.3.2: the subject is another one. */
function isRefusal(error: unknown): boolean {
  if (error instanceof WWWAuthenticateChallengeError) return isOfToken(error.status);
  if (!(error instanceof Error)) return false;
  const { cause } = error;
  if (cause instanceof Response) return isOfToken(cause.status);
  return Object(cause).attribute === 'sub' || Object(Object(cause).cause).attribute === 'sub';
}

const isOfToken = (status: number): boolean => status === 401 || status === 403;
