import type { z } from 'zod';
import type { accountContracts } from '../api/accounts/contract.ts';
import type { apiKeyContracts } from '../api/api-keys/contract.ts';
import type { appContracts } from '../api/apps/contract.ts';
import type { prescreenContracts } from '../api/apps/prescreen/contracts.ts';
import type { auditContracts } from '../api/audit/contract.ts';
import type { calendarContracts } from '../api/calendar/contract.ts';
import type { deliveryContracts } from '../api/deliveries/contract.ts';
import type { deviceContracts } from '../api/devices/contract.ts';
import type { docsContracts } from '../api/docs/contract.ts';
import type { emailContracts } from '../api/email/contract.ts';
import type { eventContracts } from '../api/events/contract.ts';
import type { Contract, Reply } from '../api/http/contract.ts';
import type { keyContracts } from '../api/keys/contract.ts';
import type { linkContracts } from '../api/links/contract.ts';
import type { linkListContracts } from '../api/links/read/list-contracts.ts';
import type { linkVisitorContracts } from '../api/links/visitor/contracts.ts';
import type { publicLogContracts } from '../api/log/contract.ts';
import type { logContracts } from '../api/logs/contract.ts';
import type { meetingLogContracts } from '../api/logs/meeting-contract.ts';
import type { streamContracts } from '../api/logs/stream-contracts.ts';
import type { mailContracts } from '../api/mail/contract.ts';
import type { consentContracts } from '../api/meetings/consent/contract.ts';
import type { meetingContracts } from '../api/meetings/contract.ts';
import type { hookContracts } from '../api/meetings/hooks/contract.ts';
import type { memberContracts } from '../api/members/contract.ts';
import type { proofContracts } from '../api/proofs/contract.ts';
import type { rateLimitContracts } from '../api/rate-limits/contract.ts';
import type { recoveryContracts } from '../api/recoveries/contract.ts';
import type { sandboxContracts } from '../api/sandbox/contract.ts';
import type { sessionContracts } from '../api/session/contract.ts';
import type { joinContracts } from '../api/session/join/contract.ts';
import type { liveContracts } from '../api/session/live-contract.ts';
import type { smsContracts } from '../api/sms/contract.ts';
import type { ssoProviderContracts } from '../api/sso-providers/contract.ts';
import type { systemContracts } from '../api/system/contract.ts';
import type { timestampContracts } from '../api/timestamps/contract.ts';
import type { trustCheckContracts } from '../api/trust-checks/contract.ts';
import type { verifyContracts } from '../api/verify/contract.ts';
import type { webhookEndpointContracts } from '../api/webhook-endpoints/contract.ts';

export type { ValidationFault } from '../api/http/problem/problem.ts';
export type { ApiVersion } from '../api/http/server/version.ts';

type Tables =
  | typeof accountContracts
  | typeof apiKeyContracts
  | typeof appContracts
  | typeof prescreenContracts
  | typeof auditContracts
  | typeof calendarContracts
  | typeof deliveryContracts
  | typeof deviceContracts
  | typeof docsContracts
  | typeof emailContracts
  | typeof eventContracts
  | typeof keyContracts
  | typeof linkContracts
  | typeof linkListContracts
  | typeof linkVisitorContracts
  | typeof logContracts
  | typeof meetingLogContracts
  | typeof streamContracts
  | typeof mailContracts
  | typeof meetingContracts
  | typeof consentContracts
  | typeof hookContracts
  | typeof memberContracts
  | typeof recoveryContracts
  | typeof proofContracts
  | typeof rateLimitContracts
  | typeof sandboxContracts
  | typeof sessionContracts
  | typeof joinContracts
  | typeof liveContracts
  | typeof smsContracts
  | typeof ssoProviderContracts
  | typeof systemContracts
  | typeof timestampContracts
  | typeof trustCheckContracts
  | typeof verifyContracts
  | typeof publicLogContracts
  | typeof webhookEndpointContracts;

type RowsOf<T> = T extends unknown ? T[keyof T] : never;
type Rows = Exclude<RowsOf<Tables>, { readonly hidden: true }>;

/** Every documented operation of the interface by its id, as its contract table declares it. */
type Contracts = { readonly [Row in Rows as Row['id']]: Row };
export type OperationId = keyof Contracts;

/** The `code` values of the errors of an operation. */
export type FailureCode = Contract['errors'][number];

/** Accepts frozen objects for values that are only read. */
type Frozen<T> = T extends readonly (infer Item)[]
  ? readonly Frozen<Item>[]
  : T extends object
    ? { readonly [K in keyof T]: Frozen<T[K]> }
    : T;
/** The input type of a coerced value is `unknown`; callers pass the output type instead. */
type Given<In, Out> = Frozen<unknown extends In ? Out : In>;
type FieldsOf<S> = S extends z.ZodObject
  ? {
      [K in keyof z.input<S>]: Given<
        z.input<S>[K],
        K extends keyof z.output<S> ? z.output<S>[K] : never
      >;
    }
  : unknown;
type BodyOf<Request> = Request extends { readonly rawBytesMax: number }
  ? { readonly body: Uint8Array }
  : Request extends { readonly body: infer S extends z.ZodType }
    ? { readonly body: Given<z.input<S>, z.output<S>> }
    : unknown;
type HeadersOf<Request> = Request extends { readonly headers: infer S }
  ? { readonly headers?: FieldsOf<S> }
  : unknown;
type PartOf<Request, Name extends 'path' | 'query'> =
  Request extends Readonly<Record<Name, infer S>> ? FieldsOf<S> : unknown;

type ParamsOf<C extends Contract> = PartOf<C['request'], 'path'> &
  PartOf<C['request'], 'query'> &
  BodyOf<C['request']> &
  HeadersOf<C['request']>;

/** JSON is parsed. A page, a file or a stream is returned as its `Response`. */
type BodyRead<R extends Reply> = R extends { readonly kind: 'json'; readonly schema: infer S }
  ? S extends z.ZodType
    ? z.output<S>
    : never
  : R extends {
        readonly kind: 'page';
        readonly types: readonly (infer T)[];
        readonly schema: infer S extends z.ZodType;
      }
    ? z.output<S> | (T extends `${string}json` ? never : Response)
    : R extends { readonly kind: 'page'; readonly types: readonly ['application/json'] }
      ? unknown
      : R extends { readonly kind: 'empty' }
        ? undefined
        : Response;

type RepliesOf<C extends Contract> = C['replies'];
type StatusesOf<C extends Contract> = {
  [S in keyof RepliesOf<C> & number]: `${S}` extends `5${string}` ? never : S;
}[keyof RepliesOf<C> & number];

type ResultOfContract<C extends Contract> = BodyRead<RepliesOf<C>[StatusesOf<C>]>;

/** Parameters of an operation: path and query parameters by name, and the body as `body`. */
export type Params<Id extends OperationId> = ParamsOf<Contracts[Id]>;

/** Result of a successful operation. */
export type ResultOf<Id extends OperationId> = ResultOfContract<Contracts[Id]>;

type LineOf<C extends Contract> =
  `${Uppercase<C['method']>} ${C['path']}${C extends { readonly idempotent: true } ? ' once' : ''}`;

/** Method and path of every operation, and whether it honors an Idempotency-Key (`once`). */
export type OperationLines = { readonly [Id in OperationId]: LineOf<Contracts[Id]> };

/** One event, the same on the socket, in a webhook and from `GET /v2/events`. */
export type Event = ResultOf<'events.get'>;
