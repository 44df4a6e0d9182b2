import type { Role } from '../../../domain/names.ts';
import type { Scope } from '../../../domain/scopes.ts';

export type Method = 'get' | 'put' | 'post' | 'patch' | 'delete';

/**
 * `key` is a session token or an API key; `public` admits a caller without any credential. A
 * `webhook` proves itself by what its sender signs or was given, an `operator` by their token: the
 * handler judges that, and no credential of ours is read. A `cookie-nonce` is a cookie that belongs
 * to something on record, which its handler finds.
 */
export type AuthKind =
  | 'public'
  | 'session'
  | 'key'
  | 'check-token'
  | 'join-token'
  | 'cookie-nonce'
  | 'webhook'
  | 'operator';

/**
 * Which API keys an operation admits. Sessions are bound by `test` alone.
 * - `live`: live keys only; it concerns the whole account (members, keys, sign-in, connections).
 * - `test`: test keys only; it exists for trying things out.
 * - `either`: both; a test key reaches objects in test mode only.
 * - `own`: both, each on objects of its own mode; it changes the outcome of a check or meeting.
 * - `self`: both; it reports on the caller and reads no object.
 */
export type KeyMode = 'live' | 'test' | 'either' | 'own' | 'self';

/** Whether a row is for callers who prove themselves to its handler, by no credential of ours. */
export const provesItself = (auth: readonly AuthKind[]): boolean =>
  auth.every((kind) => kind === 'webhook' || kind === 'operator');

/** The part of a contract that says who may call its operation. */
export interface AccessRules {
  /** `family.verb`: folder and file of the handler, operationId of the document. */
  readonly id: string;
  readonly method: Method;
  readonly auth: readonly AuthKind[];
  /** The lowest role that may do this on the account the handler authorizes for. */
  readonly role?: Role;
  /**
   * It acts for a person wherever they are known. A session that came by a sign-in provider, or was
   * opened for an app, counts in one account alone and is refused (`own_sign_in_required`).
   */
  readonly actsFor?: 'person';
  /**
   * What a session has to show besides its role: proof of a certified device, younger than 15
   * minutes (`step_up_required`). On a row without a role a person who has only login emails needs
   * none. API keys are bound by their roles.
   */
  readonly assurance?: 'cert';
  /** Which API keys may call it; every row that admits keys names it (decision 006). */
  readonly keyMode?: KeyMode;
  /** The scope that a limited API key needs, where `keyScopeOf` does not derive it. */
  readonly scope?: Scope;
  /**
   * API keys that are limited to apps may call it, because it checks the app of each object. Every
   * other row refuses such keys (`app_key_refused`).
   */
  readonly admitsAppKeys?: true;
  /** Whether the `attest` header is read: `required`, or `accepted` when it is there. */
  readonly attest?: 'required' | 'accepted';
  /**
   * The operation binds the token that it answers to the key of the `DPoP` header. Rows that admit
   * check tokens read the header too.
   */
  readonly clientKey?: 'required';
}
