// The types of client/contracts.ts as the published package has them: from the OpenAPI document alone, so
// that a caller needs neither the sources of the service nor zod.
import type { HTTPValidationError, Operations } from './openapi.ts';

export type { FailureCode } from './openapi.ts';
export type ApiVersion = string;
export type OperationId = keyof Operations;
export type OperationLines = { readonly [Id in OperationId]: string };
export type ValidationFault = HTTPValidationError['detail'][number];

/** What is only read may be frozen, and what may be left out may be undefined. */
type Given<T> = T extends Uint8Array
  ? T
  : T extends readonly (infer Item)[]
    ? readonly Given<Item>[]
    : T extends object
      ? { readonly [K in keyof T]: Given<T[K]> | (object extends Pick<T, K> ? undefined : never) }
      : T;

/** What an operation takes: parameters of path and query by their names, the body as `body`. */
export type Params<Id extends OperationId> = Given<Operations[Id]['params']>;

/** What an operation answers where it succeeds. */
export type ResultOf<Id extends OperationId> = Operations[Id]['result'];

/** One event, the same by socket, by webhook and from `GET /v2/events`. */
export type Event = ResultOf<'events.get'>;
