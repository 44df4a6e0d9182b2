import type { SsoProviderRow } from '../../../db/queries/sso-providers.ts';
import { readAddress, type Address } from '../../../domain/identity/email-address.ts';
import { hasRole, rolesIn, type Role } from '../../../domain/names.ts';
import { assertRule } from './access-token-refused.ts';

/** What is said of a token, by its own signed claims or by its issuer (RFC 9068, RFC 7662). */
export type Claims = Readonly<Record<string, unknown>>;

const skewSeconds = 60;
const subjectLengthMax = 255;
const groupsMax = 5_000;
const clientNames = ['client_id', 'azp', 'cid', 'appid'] as const;
/** What ID tokens and logout tokens have and access tokens do not. */
const foreignClaims = ['at_hash', 'c_hash', 's_hash', 'events'];

/** RFC 9068 §4: the issuer is the provider's to the letter; an introspection may leave it out. */
export function checkIssuer({ iss }: Claims, issuer: string, mayBeAbsent: boolean): void {
  assertRule('issuer', iss === issuer || (mayBeAbsent && iss === undefined));
}

/**
 * RFC 9068 §4: it is for us. An introspection that says nothing of it will do where the provider
 * has no audience of its own: it was asked by our client, and the client is judged next.
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
 * That it was given to a client of ours, by every name issuers have for it: each application of the
 * issuer could else sign its users in here (RFC 9700 §4.9, RFC 6819 §4.6.4).
 */
export function checkClient(
  claims: Claims,
  { client_ids: named, client_id: ourId }: Pick<SsoProviderRow, 'client_ids' | 'client_id'>,
): void {
  const allowed: readonly unknown[] = named.length > 0 ? named : [ourId];
  const told = clientNames.map((name) => claims[name]).filter((client) => client !== undefined);
  assertRule('client', told.length > 0 && told.every((client) => allowed.includes(client)));
}

/**
 * That it is an access token whoever holds it may use: no ID token (OpenID Connect Core §2) or
 * refresh token by what issuers mark them with, and none bound to a key (RFC 7800, RFC 9449 §6). A
 * `nonce` alone marks nothing where the type says what it is: some issuers leave it in both.
 * @param isTyped whether its header says that it is an access token (RFC 9068 §2.1)
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
 * RFC 7519 §4.1.4–4.1.6 in whole seconds: its end to the second, a minute of skew for its
 * beginning.
 * @returns when it ends; null where an introspection does not say
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

/** When the person showed themselves to the issuer, as far as it says; never ahead of now. */
export function authTimeOf({ auth_time: authTime, iat }: Claims, now: Date): Date {
  const told = [authTime, iat].find(isSeconds);
  return new Date(Math.min(told === undefined ? Infinity : told * 1000, now.getTime()));
}

/** Up to the year 9999, the last a date of ours can be written in. */
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
 * A person's groups by the name of a claim, which may lie in others (`realm_access.roles`). None
 * where it is absent or of another form. One that the issuer has left out, since there were too
 * many (OpenID Connect Core §5.6.2), is no word on any.
 */
export function groupsOf(claims: Claims, name: string): readonly string[] {
  assertRule('groups', !isLeftOut(claims, name));
  const found = claimOf(claims, name);
  const listed: readonly unknown[] = Array.isArray(found) ? found : [found];
  assertRule('groups', listed.length <= groupsMax);
  return listed.filter((group) => typeof group === 'string');
}

/** Whether a document says anything of a person's groups, be it that they are left out. */
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

/** The roles of a person's groups, none above the provider's ceiling. The lowest first. */
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

/** An address the issuer has verified and of a domain it is believed for, or null. */
export function vouchedAddress(
  { email, email_verified: isVerified }: Claims,
  { email_domains: domains }: Pick<SsoProviderRow, 'email_domains'>,
): Address | null {
  if (typeof email !== 'string' || isVerified !== true) return null;
  const address = readAddress(email);
  return address && domains.includes(domainOf(address)) ? address : null;
}

/** The domain of an address, as it is compared. */
export const domainOf = ({ comparable }: Address): string =>
  comparable.slice(comparable.lastIndexOf('@') + 1);
