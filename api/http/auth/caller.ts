import type { DevicePlatform, Role } from '../../../domain/names.ts';
import type { Scope } from '../../../domain/scopes.ts';

/** The caller, as proved by the credential. */
export type Caller =
  | { readonly kind: 'anonymous' }
  | {
      readonly kind: 'session';
      readonly polyUserId: string;
      readonly sid: string;
      readonly accountId: number | null;
      readonly roles: readonly Role[];
      readonly authMethod: 'email' | 'cert';
      readonly expiresAt: Date;
      readonly authTime: Date;
      /**
       * The sign-in provider through which the session was opened. Such a session is limited to its
       * account, and `unlimitedPersonOf` returns null for it.
       */
      readonly provider?: string | undefined;
      /**
       * The only account the session may act in, where it was opened for an app or an account.
       * `unlimitedPersonOf` returns null for it too.
       */
      readonly confinedTo?: number | undefined;
    }
  | {
      readonly kind: 'api-key';
      readonly keyId: string;
      readonly accountId: number;
      readonly roles: readonly Role[];
      readonly livemode: boolean;
      /** The only scopes of the key; null for all that its roles allow. */
      readonly scopes: readonly Scope[] | null;
      /** The only apps of the key; null for all apps of its account. */
      readonly appIds: readonly string[] | null;
      /** Null for a key that does not expire. */
      readonly expiresAt: Date | null;
    }
  | {
      readonly kind: 'check-token';
      readonly linkSessionId: string;
      /** Thumbprint of the client's key, to which the token is bound (RFC 7800). */
      readonly jkt: string;
      readonly expiresAt: Date;
    }
  | { readonly kind: 'join-token'; readonly joinSessionId: string; readonly expiresAt: Date };

/** The kinds of caller that each auth kind admits. */
export type CallerKind<A> = A extends 'public' | 'cookie-nonce' | 'webhook' | 'operator'
  ? 'anonymous'
  : A extends 'session'
    ? 'session'
    : A extends 'key'
      ? 'session' | 'api-key'
      : A extends 'check-token'
        ? 'check-token'
        : A extends 'join-token'
          ? 'join-token'
          : never;

/** The device that signed this request with an accepted `attest` header. */
export interface AttestedDevice {
  readonly deviceId: string;
  readonly polyUserId: string;
  readonly appId: string;
  readonly platform: DevicePlatform;
  /** Thumbprint of the signing key that was enrolled with the attested key. */
  readonly signingKid: string;
  /** SHA-256 of the header, kept as evidence of the call. */
  readonly headerSha256: string;
  /** The nonce of the header, which this request has used up. */
  readonly nonce: string;
  /** Google's integrity token in the header, not verified yet; null if absent. */
  readonly playToken: string | null;
  /** The evidence file of the verification of this request's signature. */
  readonly evidence: Readonly<Record<string, unknown>>;
}

/** The stable name of a caller, for idempotency scopes, limits and `created_by`. */
export function callerName(caller: Caller): string {
  switch (caller.kind) {
    case 'anonymous':
      return 'anonymous';
    case 'session':
      return caller.polyUserId;
    case 'api-key':
      return caller.keyId;
    case 'check-token':
      return caller.linkSessionId;
    case 'join-token':
      return caller.joinSessionId;
  }
}

/**
 * The name of the credential itself, for flows that another session of the person must not
 * continue.
 */
export const credentialName = (caller: Caller): string =>
  caller.kind === 'session' ? caller.sid : callerName(caller);
