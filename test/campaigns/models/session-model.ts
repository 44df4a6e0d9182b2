import type { Role } from '../../../domain/names.ts';
import type { World } from './world.ts';

export interface Session {
  isRevoked: boolean;
  readonly isByEmail: boolean;
  /** The only account it goes on in. */
  readonly only: number | null;
}
export interface Token {
  readonly token: string;
  readonly session: Session;
  readonly method: 'email' | 'cert';
  readonly endsAtMs: number;
  /** As the platform said it. */
  readonly expiresAt: string;
  readonly authTime: number;
  readonly account: number | null;
  readonly roles: readonly Role[];
}
export interface Model {
  readonly tokens: Token[];
  /** What is held in each account; nothing where the person is no member. */
  readonly held: (readonly Role[] | null)[];
  /** The accounts they are a member of, the one joined first before others. */
  joined: number[];
  isEmailActive: boolean;
  nowMs: number;
}
export interface Real extends World {
  readonly email: string;
  readonly identityId: number;
  readonly accounts: readonly { readonly accountId: number; readonly key: string }[];
}
