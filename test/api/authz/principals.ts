import type { Role } from '../../../domain/names.ts';
import type { KeyLimits } from './limits.ts';

/** The owner of an object or a caller: one of two accounts, the operator's, or none. */
export type Side = 'own' | 'foreign' | 'platform' | 'none';

export type CredentialFault = 'credential_expired' | 'credential_invalid' | 'credential_malformed';

/**
 * A kind of caller, described by its credential as the interface defines it. `bad` is every
 * credential that is expired, revoked or was never valid.
 */
export interface Principal extends KeyLimits {
  readonly name: string;
  readonly is: 'anonymous' | 'bad' | 'ambiguous' | 'session' | 'key' | 'check' | 'join';
  readonly of: Side;
  /** Null for a member of no account, and for a key with a role that keys cannot have. */
  readonly role: Role | null;
  /** Sessions only. */
  readonly method?: 'cert' | 'email';
  /** Valid in one account only: opened by a sign-in provider, or for an app. */
  readonly isLent?: true;
  /** A session whose proof of a device is too old for dangerous operations. */
  readonly isStale?: true;
  /** An email session of a person who has a device. */
  readonly isCertBacked?: true;
  /** A key of test mode. */
  readonly isTest?: true;
  /** Also tested on the objects in test mode. */
  readonly isInBothModes?: true;
  /** The subject of the checks of both accounts. */
  readonly isSubject?: true;
  /** The person who owns the device and the login email of a side. */
  readonly isOwner?: true;
  /** The person who created the link of `made`. */
  readonly isMaker?: true;
  /** A check token of another check of its account. */
  readonly isElsewhere?: true;
  /** Why a credential is refused. */
  readonly fault?: CredentialFault;
  /** Differs from another principal only within its own account. */
  readonly isLocal?: true;
}

type More = Omit<Partial<Principal>, 'name' | 'is' | 'of' | 'role'>;

const session = <N extends string>(name: N, of: Side, role: Role | null, more: More = {}) =>
  ({ name, is: 'session', of, role, method: 'cert', ...more }) as const;
const key = <N extends string>(name: N, of: Side, role: Role | null, more: More = {}) =>
  ({ name, is: 'key', of, role, ...more }) as const;
const token = <N extends string>(name: N, is: 'check' | 'join', of: Side, more: More = {}) =>
  ({ name, is, of, role: null, ...more }) as const;
const bad = <N extends string>(name: N, fault: CredentialFault = 'credential_invalid') =>
  ({ name, is: 'bad', of: 'none', role: null, fault }) as const;

/** Callers with a valid credential, and the anonymous caller. */
export const goodPrincipals = [
  { name: 'anonymous', is: 'anonymous', of: 'none', role: null },
  session('subject', 'none', null, { isSubject: true }),
  session('email MEMBER', 'own', 'MEMBER', { method: 'email', isLocal: true }),
  session('VIEWER', 'own', 'VIEWER', { isLocal: true }),
  session('MEMBER', 'own', 'MEMBER', { isMaker: true }),
  session('REVIEWER', 'own', 'REVIEWER', { isLocal: true }),
  session('ADMIN', 'own', 'ADMIN', { isOwner: true, isInBothModes: true }),
  session('email ADMIN', 'own', 'ADMIN', { method: 'email', isCertBacked: true }),
  session('stale ADMIN', 'own', 'ADMIN', { isStale: true }),
  session('ADMIN by a provider', 'own', 'ADMIN', { method: 'email', isLent: true }),
  session('ADMIN for an app', 'own', 'ADMIN', { method: 'email', isLent: true }),
  session('foreign ADMIN', 'foreign', 'ADMIN', { isOwner: true }),
  session('POLYADMIN', 'platform', 'POLYADMIN'),
  key('key VIEWER', 'own', 'VIEWER'),
  key('key MEMBER', 'own', 'MEMBER', { isLocal: true }),
  key('key REVIEWER', 'own', 'REVIEWER', { isLocal: true }),
  key('key ADMIN', 'own', 'ADMIN', { isInBothModes: true }),
  key('key of test mode', 'own', 'ADMIN', { isTest: true, isInBothModes: true }),
  key('key POLYADMIN', 'own', null, { isLocal: true }),
  key('key that reads', 'own', 'ADMIN', { scopes: 'read' }),
  key('key that writes', 'own', 'ADMIN', { scopes: 'write' }),
  key('key of links', 'own', 'ADMIN', { scopes: 'links' }),
  key('key of the app', 'own', 'ADMIN', { apps: 'own', isInBothModes: true }),
  key('key of another app', 'own', 'ADMIN', { apps: 'other', isInBothModes: true }),
  key('foreign key ADMIN', 'foreign', 'ADMIN'),
  token('check token', 'check', 'own'),
  token('check token of another check', 'check', 'own', { isElsewhere: true }),
  token('foreign check token', 'check', 'foreign'),
  token('join token', 'join', 'own'),
  token('foreign join token', 'join', 'foreign'),
] as const satisfies readonly Principal[];

/** Credentials that no route may accept, including public ones. */
export const badPrincipals = [
  bad('nonsense', 'credential_malformed'),
  bad('expired session', 'credential_expired'),
  bad('revoked session'),
  bad('session of a removed member'),
  bad('session with a role that was taken'),
  bad('session of a disabled account'),
  bad('session as X-API-Key', 'credential_malformed'),
  bad('revoked key'),
  bad('expired key', 'credential_expired'),
  bad('altered key'),
  bad('key of a disabled account'),
  bad('expired check token', 'credential_expired'),
  bad('link token', 'credential_malformed'),
  bad('invite token', 'credential_malformed'),
  bad('verification bundle'),
  bad('token of claims'),
  { name: 'session and key', is: 'ambiguous', of: 'own', role: null },
] as const satisfies readonly Principal[];

export const principals: readonly Principal[] = [...goodPrincipals, ...badPrincipals];
export type PrincipalName =
  | (typeof goodPrincipals)[number]['name']
  | (typeof badPrincipals)[number]['name'];
