import type { Role } from '../../../domain/names.ts';
import type { Scope } from '../../../domain/scopes.ts';

export type Method = 'get' | 'put' | 'post' | 'patch' | 'delete';

/**
 * How a caller proves itself to an operation.
 * - `public`: no credential is needed.
 * - `session`: a session token.
 * - `key`: a session token or an API key.
 * - `check-token`, `join-token`: a token of one trust check or of one join session.
 * - `cookie-nonce`: a cookie of a stored flow. The handler finds the flow.
 * - `webhook`: a signature or secret of the sender. The handler verifies it.
 * - `operator`: the operator's token. The handler verifies it.
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
 * Which API keys an operation admits. Only `test` limits sessions too.
 * - `live`: live keys only; it concerns the whole account (members, keys, sign-in, connections).
 * - `test`: test keys only; it is for trying things out.
 * - `either`: both; a test key reaches objects in test mode only.
 * - `own`: both, each on objects of its own mode; it changes the outcome of a check or meeting.
 * - `self`: both; it reports on the caller and reads no object.
 */
export type KeyMode = 'live' | 'test' | 'either' | 'own' | 'self';

/** Whether only the handler authenticates callers (webhooks and operators). */
export const provesItself = (auth: readonly AuthKind[]): boolean =>
  auth.every((kind) => kind === 'webhook' || kind === 'operator');

/** The part of a contract that defines who may call its operation. */
export interface AccessRules {
  /** `family.verb`: folder and file of the handler, and the operationId in the OpenAPI document. */
  readonly id: string;
  readonly method: Method;
  readonly auth: readonly AuthKind[];
  /** The lowest role that may do this in the account that the handler authorizes. */
  readonly role?: Role;
  /**
   * The operation acts for a person in all their accounts. Refuses sessions that are limited to one
   * account, because they came through a sign-in provider or were opened for an app
   * (`own_sign_in_required`).
   */
  readonly actsFor?: 'person';
  /**
   * What a session needs besides its role: proof of a certified device within the last 15 minutes
   * (`step_up_required`). Where the operation needs no role, a person who has only login emails
   * needs no proof. API keys are limited by their roles instead.
   */
  readonly assurance?: 'cert';
  /** Which API keys may call it. Every row that admits keys declares it (decision 006). */
  readonly keyMode?: KeyMode;
  /** The scope that a limited API key needs, where `keyScopeOf` does not derive it. */
  readonly scope?: Scope;
  /**
   * API keys that are limited to apps may call it, because the handler checks the app of each
   * object. Every other row refuses such keys (`app_key_refused`).
   */
  readonly admitsAppKeys?: true;
  /** Whether the `attest` header is `required`, or `accepted` where it is present. */
  readonly attest?: 'required' | 'accepted';
  /**
   * The operation binds the token in its response to the key of the `DPoP` header. Rows that admit
   * check tokens read the header too.
   */
  readonly clientKey?: 'required';
}
