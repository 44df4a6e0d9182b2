import type { SsoProviderRow } from '../../../db/queries/sso-providers.ts';
import { readAddress, type Address } from '../../../domain/identity/email-address.ts';
import { hasRole, rolesIn, type Role } from '../../../domain/names.ts';
import { assertRule } from './access-token-refused.ts';

/** Claims of a token, signed by it or returned by its issuer (RFC 9068, RFC 7662). */
export type Claims = Readonly<Record<string, unknown>>;

const skewSeconds = 60;
const subjectLengthMax = 255;
const groupsMax = 5_000;
const clientNames = ['client_id', 'azp', 'cid', 'appid'] as const;
/** Claims of ID tokens and logout tokens that access tokens do not have. */
const foreignClaims = ['at_hash', 'c_hash', 's_hash', 'events'];

/** RFC 9068 §4: the issuer must equal the provider's. An introspection response may omit it. */
export function checkIssuer({ iss }: Claims, issuer: string, mayBeAbsent: boolean): void {
  assertRule('issuer', iss === issuer || (mayBeAbsent && iss === undefined));
}

/**
 * Checks that the token is for us (RFC 9068 §4). An introspection response may omit the audience if
 * the provider has no audience of its own: our client sent the request, and `checkClient` follows.
 */
export function checkAudience(
  { aud }: Claims,
  { audience, client_id: ourId }: Pick<SsoProviderRow, 'audience' | 'client_id'>,
  mayBeAbsent: boolean,
): void {
  if (aud === undefined && mayBeAbsent && audience === null) return;
  const listed: readonly unknown[] = Array.isArray(aud) ? aud : [aud];
  assertRule('audience', listed.length > 0 && listed.every((one) => typeof one === 'string'));
  assertRule('audience', listed.includes(audience ?? ourId));
}

/**
 * Checks that the token was issued to a client of ours, by every claim that issuers use for it.
 * Otherwise any application of the issuer could sign its users in here (RFC 9700 §4.9, RFC 6819
 * §4.6.4).
 */
export function checkClient(
  claims: Claims,
  { client_ids: named, client_id: ourId }: Pick<SsoProviderRow, 'client_ids' | 'client_id'>,
): void {
  const allowed: readonly unknown[] = named.length > 0 ? named : [ourId];
  const clients = clientNames.map((name) => claims[name]).filter((client) => client !== undefined);
  assertRule('client', clients.length > 0 && clients.every((client) => allowed.includes(client)));
}

/**
 * Checks that the token is a bearer access token. By the marks that issuers use, it must not be an
 * ID token (OpenID Connect Core §2) or a refresh token, nor be bound to a key (RFC 7800, RFC 9449
 * §6). A `nonce` is allowed if the token has a type, since some issuers put it in both.
 * @param isTyped whether its header types it as an access token (RFC 9068 §2.1)
 */
export function checkUse(claims: Claims, isTyped: boolean): void {
  const { token_use: use, typ, token_type: type, cnf } = claims;
  assertRule(
    'use',
    foreignClaims.every((name) => claims[name] === undefined),
  );
  assertRule('use', claims['nonce'] === undefined || isTyped || typ !== undefined);
  assertRule('use', use === undefined || use === 'access' || use === 'access_token');
  assertRule('use', isBearer(typ) && isBearer(type));
  assertRule('use', cnf === undefined);
}

function isBearer(value: unknown): boolean {
  return value === undefined || (typeof value === 'string' && value.toLowerCase() === 'bearer');
}

/**
 * Checks RFC 7519 §4.1.4–4.1.6 in whole seconds: no skew at the end, one minute at the beginning.
 * @returns when it expires; null if an introspection response does not say
 */
export function checkLifetime(
  { exp, nbf, iat }: Claims,
  now: Date,
  mayBeAbsent: boolean,
): Date | null {
  const at = now.getTime() / 1000;
  assertRule('lifetime', exp === undefined ? mayBeAbsent : isSeconds(exp) && exp > at);
  assertRule(
    'lifetime',
    iat === undefined ? mayBeAbsent : isSeconds(iat) && iat <= at + skewSeconds,
  );
  assertRule('lifetime', nbf === undefined || (isSeconds(nbf) && nbf <= at + skewSeconds));
  return typeof exp === 'number' ? new Date(exp * 1000) : null;
}

/** Returns when the person authenticated, by `auth_time` or else `iat`; never later than `now`. */
export function authTimeOf({ auth_time: authTime, iat }: Claims, now: Date): Date {
  const seconds = [authTime, iat].find(isSeconds);
  return new Date(Math.min(seconds === undefined ? Infinity : seconds * 1000, now.getTime()));
}

/** Up to the year 9999, the last in our date format. */
function isSeconds(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0 && Number(value) <= 253_402_300_799;
}

/** OpenID Connect Core §2: at most 255 characters. */
export function subjectOf({ sub }: Claims): string {
  assertRule('subject', typeof sub === 'string' && /^\P{C}+$/u.test(sub));
  assertRule('subject', sub.trim() !== '' && sub.length <= subjectLengthMax);
  return sub;
}

/**
 * Returns a person's groups from a claim by its name, which may be a path (`realm_access.roles`).
 * Empty if the claim is absent or has another form.
 * @throws AccessTokenRefused `groups` if the issuer omitted them because there were too many
 *   (OpenID Connect Core §5.6.2)
 */
export function groupsOf(claims: Claims, name: string): readonly string[] {
  assertRule('groups', !isLeftOut(claims, name));
  const found = claimOf(claims, name);
  const listed: readonly unknown[] = Array.isArray(found) ? found : [found];
  assertRule('groups', listed.length <= groupsMax);
  return listed.filter((group) => typeof group === 'string');
}

/** Whether a document states a person's groups, or that they are omitted. */
export function tellsGroups(claims: Claims, name: string): boolean {
  return isLeftOut(claims, name) || claimOf(claims, name) !== undefined;
}

function isLeftOut({ _claim_names: elsewhere, hasgroups }: Claims, name: string): boolean {
  return hasgroups === true || memberOf(elsewhere, name) !== undefined;
}

function claimOf(claims: Claims, name: string): unknown {
  return memberOf(claims, name) ?? name.split('.').reduce<unknown>(memberOf, claims);
}

function memberOf(value: unknown, name: string): unknown {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isObject && Object.hasOwn(value, name) ? (value as Claims)[name] : undefined;
}

/** Returns the roles of a person's groups, none above the provider's ceiling, the lowest first. */
export function rolesOf(
  {
    group_roles: byGroup,
    role_ceiling: ceiling,
  }: Pick<SsoProviderRow, 'group_roles' | 'role_ceiling'>,
  groups: readonly string[],
): Role[] {
  const mapped = groups.flatMap((group) =>
    Object.hasOwn(byGroup, group) ? (byGroup[group] ?? []) : [],
  );
  return rolesIn(mapped.filter((role) => hasRole([ceiling], role)));
}

/**
 * Returns the address if the issuer has verified it and is trusted for its domain, or else null.
 */
export function vouchedAddress(
  { email, email_verified: isVerified }: Claims,
  { email_domains: domains }: Pick<SsoProviderRow, 'email_domains'>,
): Address | null {
  if (typeof email !== 'string' || isVerified !== true) return null;
  const address = readAddress(email);
  return address && domains.includes(domainOf(address)) ? address : null;
}

/** Returns the domain of an address in its comparable form. */
export const domainOf = ({ comparable }: Address): string =>
  comparable.slice(comparable.lastIndexOf('@') + 1);
