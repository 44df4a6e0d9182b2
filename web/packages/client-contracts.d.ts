// The types of client/contracts.ts in the published package. They come from the OpenAPI document
// alone, so that a caller needs neither the sources of the service nor zod.
import type { HTTPValidationError, Operations } from './openapi.ts';

export type { FailureCode } from './openapi.ts';
export type ApiVersion = string;
export type OperationId = keyof Operations;
export type OperationLines = { readonly [Id in OperationId]: string };
export type ValidationFault = HTTPValidationError['detail'][number];

/** Accepts frozen (readonly) input, and undefined for optional members. */
type Given<T> = T extends Uint8Array
  ? T
  : T extends readonly (infer Item)[]
    ? readonly Given<Item>[]
    : T extends object
      ? { readonly [K in keyof T]: Given<T[K]> | (object extends Pick<T, K> ? undefined : never) }
      : T;

/** The input of an operation: path and query parameters by name, and the body as `body`. */
export type Params<Id extends OperationId> = Given<Operations[Id]['params']>;

/** The successful result of an operation. */
export type ResultOf<Id extends OperationId> = Operations[Id]['result'];

/** One event. It is the same by socket, by webhook and from `GET /v2/events`. */
export type Event = ResultOf<'events.get'>;
