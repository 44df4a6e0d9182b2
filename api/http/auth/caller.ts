import type { DevicePlatform, Role } from '../../../domain/names.ts';
import type { Scope } from '../../../domain/scopes.ts';

/** Who calls, as the credential proved it. */
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
       * The sign-in provider the session came by: it stays in that account, and speaks for no whole
       * person (`unlimitedPersonOf`).
       */
      readonly provider?: string | undefined;
      /**
       * The only account the session goes on in, where it was opened for an app or an account: it
       * speaks for no whole person either.
       */
      readonly confinedTo?: number | undefined;
    }
  | {
      readonly kind: 'api-key';
      readonly keyId: string;
      readonly accountId: number;
      readonly roles: readonly Role[];
      readonly livemode: boolean;
      /** The only operations of the key; null for all that its roles allow. */
      readonly scopes: readonly Scope[] | null;
      /** The only apps of the key; null for all of its account. */
      readonly appIds: readonly string[] | null;
      /** Null for a key that was given no end. */
      readonly expiresAt: Date | null;
    }
  | {
      readonly kind: 'check-token';
      readonly linkSessionId: string;
      /** Thumbprint of the key of the client, to which the token is bound (RFC 7800). */
      readonly jkt: string;
      readonly expiresAt: Date;
    }
  | { readonly kind: 'join-token'; readonly joinSessionId: string; readonly expiresAt: Date };

/** The kinds of caller each word of the auth vocabulary admits. */
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

/** The device whose `attest` header was accepted for this very request. */
export interface AttestedDevice {
  readonly deviceId: string;
  readonly polyUserId: string;
  readonly appId: string;
  readonly platform: DevicePlatform;
  /** Thumbprint of the signing key that was enrolled with the attested key. */
  readonly signingKid: string;
  /** SHA-256 of the header, kept as evidence of the call. */
  readonly headerSha256: string;
  /** Of the header: ours, and spent by this request. */
  readonly nonce: string;
  /** What the header brings of Google Play, not judged yet; null for nothing. */
  readonly playToken: string | null;
  /** The evidence file this request's signature was judged on. */
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

/** The credential itself, where a person's other sessions must not go on with what one began. */
export const credentialName = (caller: Caller): string =>
  caller.kind === 'session' ? caller.sid : callerName(caller);
