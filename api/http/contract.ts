import type { z } from 'zod';
import type { FailureCode } from '../../workflows/failures.ts';
import type { Deps } from '../deps.ts';
import type { AccessRules } from './auth/access-rules.ts';
import type { Access } from './auth/authorize.ts';
import type { AttestedDevice, Caller, CallerKind } from './auth/caller.ts';

export type Reply =
  | {
      readonly kind: 'json';
      readonly schema: z.ZodType;
      readonly description: string;
      /** The response carries an ETag. */
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

/** Declares a reply with a JSON body. */
export const json = <S extends z.ZodType>(schema: S, description: string) =>
  ({ kind: 'json', schema, description }) as const;

export interface Limit {
  readonly points: number;
  readonly seconds: number;
  /** What is counted: the client's address, or the credential (the address again without one). */
  readonly by: 'address' | 'caller';
}

export interface RequestShape {
  readonly path?: z.ZodObject;
  readonly query?: z.ZodObject;
  readonly headers?: z.ZodObject;
  readonly body?: z.ZodType;
  /** Takes raw bytes instead of JSON; the maximum in bytes. */
  readonly rawBytesMax?: number;
}

export interface Contract extends AccessRules {
  /** OpenAPI template; `{name*}` matches the rest of the path. */
  readonly path: string;
  readonly summary: string;
  /** Further facts for the caller: paragraphs of CommonMark, of which only `code` is rendered. */
  readonly description?: string;
  readonly request: RequestShape;
  /**
   * Unknown query parameters and body members are ignored instead of refused. Used for input that a
   * vendor shapes, and for pages with links that mail clients extend
   * (docs/decisions/005-requests.md).
   */
  readonly unknownFields?: 'ignored';
  readonly replies: Readonly<Record<number, Reply>>;
  readonly errors: readonly FailureCode[];
  /** Honors `Idempotency-Key`. Set on every PUT and POST that creates. */
  readonly idempotent?: true;
  readonly limit?: Limit;
  /** Responses set or delete a cookie that binds the flow to the browser. */
  readonly setsCookie?: true;
  /** Omitted from the OpenAPI document: aliases, and pages of the development profile. */
  readonly hidden?: true;
  /** Browsers of the app's allowed origins may call it. */
  readonly cors?: true;
}

type Parsed<Shape> = Shape extends z.ZodType ? z.output<Shape> : undefined;

/** Facts of the call that its contract does not declare. */
export interface CallFacts {
  readonly requestId: string;
  readonly address: string;
  readonly method: string;
  readonly originalUrl: string;
  readonly header: (name: string) => string | undefined;
  readonly now: Date;
}

/** The input of a handler, by resolved types: aliases of one shape share one handler. */
interface InputOf<Path, Query, Headers, Body, Who, Attested, ClientKey> extends Access {
  readonly path: Path;
  readonly query: Query;
  readonly headers: Headers;
  readonly body: Body;
  readonly caller: Who;
  readonly attested: Attested;
  /** Thumbprint of the key that signed the request with a `DPoP` header; null for none. */
  readonly clientKey: ClientKey;
  readonly call: CallFacts;
  /** Stable over retries with one Idempotency-Key. Ids and workflow ids are derived from it. */
  readonly seed: string;
}

export type Input<C extends Contract> = InputOf<
  Parsed<C['request']['path']>,
  Parsed<C['request']['query']>,
  Parsed<C['request']['headers']>,
  C['request']['rawBytesMax'] extends number ? Uint8Array : Parsed<C['request']['body']>,
  Extract<Caller, { kind: CallerKind<C['auth'][number]> }>,
  C['attest'] extends 'required' ? AttestedDevice : AttestedDevice | null,
  C['clientKey'] extends 'required' ? string : string | null
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

/** What a handler may return: exactly the declared statuses with their bodies. */
export type Answer<C extends Contract> = {
  [S in keyof C['replies'] & number]: ReplyOf<S, C['replies'][S]>;
}[keyof C['replies'] & number];

/** A response of any contract. */
export type AnyAnswer = { readonly status: number } & Extras &
  (
    | { readonly body: unknown }
    | { readonly type: string; readonly content: string | Uint8Array }
    | { readonly type: string; readonly parts: AsyncIterable<Uint8Array> }
    | { readonly location: string }
    | { readonly isEmpty: true }
  );

/** Declares an operation. Keeps the literal types, so that the compiler checks its handler. */
export function contract<const C extends Contract>(row: C): C {
  return row;
}

export type Handle<C extends Contract> = (input: Input<C>, deps: Deps) => Promise<Answer<C>>;

/** A handler without its contract's types, for the table of routes. */
export type AnyHandle = (input: never, deps: Deps) => Promise<AnyAnswer>;

/** Binds a handler to its contract. Curried, so that status literals do not widen. */
export function handler<C extends Contract>(
  _contract: C,
): <D extends Partial<Deps>>(
  handle: (input: Input<C>, deps: D) => Promise<Answer<C>>,
) => (input: Input<C>, deps: D) => Promise<Answer<C>> {
  return (handle) => handle;
}

/** One family of the API: its contracts, each with a handler. */
export interface Family {
  readonly name: string;
  readonly routes: readonly { readonly contract: Contract; readonly handle: AnyHandle }[];
}

/** Joins contracts with their handlers. A missing handler is a compile error. */
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
