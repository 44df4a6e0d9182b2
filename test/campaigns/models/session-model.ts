import type { Role } from '../../../domain/names.ts';
import type { World } from './world.ts';

export interface Session {
  isRevoked: boolean;
  readonly isByEmail: boolean;
  /** The only account in which the session may act. */
  readonly only: number | null;
}
export interface Token {
  readonly token: string;
  readonly session: Session;
  readonly method: 'email' | 'cert';
  readonly endsAtMs: number;
  /** The end that the platform returned. */
  readonly expiresAt: string;
  readonly authTime: number;
  readonly account: number | null;
  readonly roles: readonly Role[];
}
export interface Model {
  readonly tokens: Token[];
  /** The roles in each account; null for no member. */
  readonly held: (readonly Role[] | null)[];
  /** The accounts of the member, in the order of joining. */
  joined: number[];
  isEmailActive: boolean;
  nowMs: number;
}
export interface Real extends World {
  readonly email: string;
  readonly identityId: number;
  readonly accounts: readonly { readonly accountId: number; readonly key: string }[];
}
