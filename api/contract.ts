import type { z } from 'zod';
import type { Role } from '../domain/names.ts';
import type { Scope } from '../domain/scopes.ts';
import type { FailureCode } from '../workflows/failures.ts';
import type { Access } from './auth/authorize.ts';
import type { AttestedDevice, Caller, CallerKind } from './auth/caller.ts';
import type { Deps } from './deps.ts';

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

export type Reply =
  | {
      readonly kind: 'json';
      readonly schema: z.ZodType;
      readonly description: string;
      /** The answer carries an ETag. */
      readonly isTagged?: true;
    }
  | {
      readonly kind: 'page';
      readonly types: readonly string[];
      readonly schema?: z.ZodType;
      readonly description: string;
    }
  | { readonly kind: 'stream'; readonly types: readonly string[]; readonly description: string }
  | { readonly kind: 'redirect'; readonly description: string }
  | { readonly kind: 'empty'; readonly description: string };

/** A reply that is JSON of a schema. */
export const json = <S extends z.ZodType>(schema: S, description: string) =>
  ({ kind: 'json', schema, description }) as const;

export interface Limit {
  readonly points: number;
  readonly seconds: number;
  /** What is counted: the client's address, or the credential; without one the address again. */
  readonly by: 'address' | 'caller';
}

export interface RequestShape {
  readonly path?: z.ZodObject;
  readonly query?: z.ZodObject;
  readonly headers?: z.ZodObject;
  readonly body?: z.ZodType;
  /** Raw bytes instead of JSON: the cap in bytes. */
  readonly rawBytesMax?: number;
}

export interface Contract {
  /** `family.verb`: folder and file of the handler, operationId of the document. */
  readonly id: string;
  readonly method: Method;
  /** OpenAPI template; `{name*}` takes the rest of the path. */
  readonly path: string;
  readonly summary: string;
  /**
   * What a caller has to know besides: paragraphs of CommonMark, of which `code` alone is drawn.
   */
  readonly description?: string;
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
  /** Which API keys may call it; every row that admits keys names it (decision 101). */
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
  readonly request: RequestShape;
  /**
   * Unknown query parameters and body members are ignored instead of refused: for input that a
   * vendor shapes, and for pages whose links mail clients extend (docs/decisions/171).
   */
  readonly unknownFields?: 'ignored';
  readonly replies: Readonly<Record<number, Reply>>;
  readonly errors: readonly FailureCode[];
  /** Honours Idempotency-Key: on every creating PUT and POST. */
  readonly idempotent?: true;
  readonly limit?: Limit;
  /** Responses set or delete a cookie that binds the flow to the browser. */
  readonly setsCookie?: true;
  /** Kept out of the document: aliases and pages of the development profile. */
  readonly hidden?: true;
  /** Answered to browsers of the app's allowed origins. */
  readonly cors?: true;
}

type Parsed<Shape> = Shape extends z.ZodType ? z.output<Shape> : undefined;

/** Facts of the call that are not part of its contract. */
export interface CallFacts {
  readonly requestId: string;
  readonly address: string;
  readonly method: string;
  readonly originalUrl: string;
  readonly header: (name: string) => string | undefined;
  readonly now: Date;
}

/** What a handler is given, by the resolved types: aliases of one shape share one handler. */
interface InputOf<Path, Query, Headers, Body, Who, Attested> extends Access {
  readonly path: Path;
  readonly query: Query;
  readonly headers: Headers;
  readonly body: Body;
  readonly caller: Who;
  readonly attested: Attested;
  readonly call: CallFacts;
  /** Stable over retries with one Idempotency-Key: what ids and workflow ids are derived from. */
  readonly seed: string;
}

export type Input<C extends Contract> = InputOf<
  Parsed<C['request']['path']>,
  Parsed<C['request']['query']>,
  Parsed<C['request']['headers']>,
  C['request']['rawBytesMax'] extends number ? Uint8Array : Parsed<C['request']['body']>,
  Extract<Caller, { kind: CallerKind<C['auth'][number]> }>,
  C['attest'] extends 'required' ? AttestedDevice : AttestedDevice | null
>;

interface Extras {
  readonly headers?: Readonly<Record<string, string>>;
}

type ReplyOf<S, R> = R extends { kind: 'json'; schema: infer T }
  ? { readonly status: S; readonly body: T extends z.ZodType ? z.input<T> : never } & Extras
  : R extends { kind: 'page' }
    ? { readonly status: S; readonly type: string; readonly content: string | Uint8Array } & Extras
    : R extends { kind: 'stream' }
      ? {
          readonly status: S;
          readonly type: string;
          readonly parts: AsyncIterable<Uint8Array>;
        } & Extras
      : R extends { kind: 'redirect' }
        ? { readonly status: S; readonly location: string } & Extras
        : R extends { kind: 'empty' }
          ? { readonly status: S; readonly isEmpty: true } & Extras
          : never;

/** What a handler may answer: exactly the declared statuses with their bodies. */
export type Answer<C extends Contract> = {
  [S in keyof C['replies'] & number]: ReplyOf<S, C['replies'][S]>;
}[keyof C['replies'] & number];

/** Any answer, as the mount sees it. */
export type AnyAnswer = { readonly status: number } & Extras &
  (
    | { readonly body: unknown }
    | { readonly type: string; readonly content: string | Uint8Array }
    | { readonly type: string; readonly parts: AsyncIterable<Uint8Array> }
    | { readonly location: string }
    | { readonly isEmpty: true }
  );

/** Declares an operation. The literal types are kept, so that handlers are held to them. */
export function contract<const C extends Contract>(row: C): C {
  return row;
}

export type Handle<C extends Contract> = (input: Input<C>, deps: Deps) => Promise<Answer<C>>;

/** A handler erased of its contract's types, for the table that mounts it. */
export type AnyHandle = (input: never, deps: Deps) => Promise<AnyAnswer>;

/** Binds a handler to its contract; curried, so that status literals do not widen. */
export function handler<C extends Contract>(
  _contract: C,
): <D extends Partial<Deps>>(
  handle: (input: Input<C>, deps: D) => Promise<Answer<C>>,
) => (input: Input<C>, deps: D) => Promise<Answer<C>> {
  return (handle) => handle;
}

/** One family of the interface: its table and a handler for every row of it. */
export interface Family {
  readonly name: string;
  readonly routes: readonly { readonly contract: Contract; readonly handle: AnyHandle }[];
}

/** Joins a table with its handlers. A missing operation is a compile error. */
export function family<T extends Readonly<Record<string, Contract>>>(
  name: string,
  table: T,
  handlers: { readonly [K in keyof T]: (input: Input<T[K]>, deps: Deps) => Promise<AnyAnswer> },
): Family {
  const routes = Object.entries(table).map(([key, row]) => ({
    contract: row,
    handle: handlers[key as keyof T] as AnyHandle,
  }));
  return { name, routes };
}
