import type { OperationId, Params, ResultOf } from './contracts.ts';
import { operations } from './operations.ts';
import { each, follow, type Feed, type FollowOptions } from './pages.ts';
import { makeRequest } from './request.ts';
import { checkPolicy, usualRetries } from './retry.ts';
import { send, type ClientDeps, type SendOptions } from './send.ts';
import { apiVersion } from './version.ts';

export interface ClientOptions extends Omit<SendOptions, 'attest' | 'signal'> {
  /** Base URL of the service, such as `https://trust.example.com`. */
  readonly baseUrl: string;
  /** Headers of every call; headers of the single call override them. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Replacements for fetch, clock and random values. */
  readonly deps?: Partial<ClientDeps>;
}

export interface CallOptions extends SendOptions {
  /** An idempotency key of the caller instead of a random one, to repeat a call after a restart. */
  readonly idempotencyKey?: string;
}

type ItemOf<R> = R extends { readonly items: readonly (infer Item)[] } ? Item : never;
type Listing<P, R> = R extends { readonly pages: number } | { readonly next_after: string }
  ? {
      /** Iterates over all items, page by page: `for await (const item of ….each(…))`. */
      each(...given: Arguments<P>): AsyncGenerator<ItemOf<R>>;
    }
  : unknown;
type Following<P, R> = R extends { readonly next_after: string }
  ? {
      /** Iterates over events as they happen, until the caller stops. */
      follow(params?: P, options?: CallOptions & FollowOptions): Feed<ItemOf<R>>;
    }
  : unknown;
type Arguments<P> =
  Partial<P> extends P ? [params?: P, options?: CallOptions] : [params: P, options?: CallOptions];

/** One operation: path and query parameters by name, the body as `body`. */
export type Operation<Id extends OperationId> = ((
  ...given: Arguments<Params<Id>>
) => Promise<ResultOf<Id>>) &
  Listing<Params<Id>, ResultOf<Id>> &
  Following<Params<Id>, ResultOf<Id>>;

type Camel<Text extends string> = Text extends `${infer Head}-${infer Tail}`
  ? `${Head}${Capitalize<Camel<Tail>>}`
  : Text;
type FamilyName = { [Id in OperationId]: Id extends `${infer F}.${string}` ? Camel<F> : never };

/** Every operation under its own name: `trust-checks.list` is `trustChecks.list`. */
export type Client = {
  readonly [F in FamilyName[OperationId]]: {
    readonly [
      Id in OperationId as Id extends `${infer G}.${infer Verb}`
        ? Camel<G> extends F
          ? Verb
          : never
        : never
    ]: Operation<Id>;
  };
};

const usualTimeoutMs = 30_000;

/**
 * Creates a client of the interface. It keeps no state, so one client is enough for any number of
 * calls.
 * @throws TypeError if `baseUrl` is not an http or https URL
 */
export function createClient(options: ClientOptions): Client {
  checkBase(options.baseUrl);
  const deps = { ...usualDeps, ...options.deps };
  const families: Record<string, Record<string, unknown>> = {};
  for (const [id, line] of Object.entries(operations)) {
    const [family = '', verb = ''] = id.split('.');
    (families[camelOf(family)] ??= {})[verb] = operation(deps, options, line);
  }
  // Built from the same table as the type.
  return families as unknown as Client;
}

function checkBase(text: string): void {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url?.protocol === 'https:' || url?.protocol === 'http:') return;
  throw new TypeError('baseUrl must be an address as https://trust.example.com');
}

type AnyParams = Readonly<Record<string, unknown>>;

function operation(deps: ClientDeps, own: ClientOptions, line: string) {
  const baseUrl = own.baseUrl.replace(/\/+$/, '');
  const call = async (params: AnyParams = {}, options: CallOptions = {}): Promise<unknown> => {
    const policy = checkPolicy({ ...usualRetries, ...own.retries, ...options.retries });
    const { idempotencyKey } = options;
    const headers = {
      'trustcheck-version': apiVersion,
      ...own.headers,
      ...(params['headers'] as Record<string, string> | undefined),
      ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
    };
    const request = makeRequest(line, { ...params, headers }, deps.makeKey);
    const timeoutMs = options.timeoutMs ?? own.timeoutMs ?? usualTimeoutMs;
    return send(deps, baseUrl, request, { ...own, ...options, timeoutMs, policy });
  };
  return Object.assign(call, {
    each: (params: AnyParams = {}, options?: CallOptions) =>
      each((next) => call(next, options), params),
    follow: (params: AnyParams = {}, options: CallOptions & FollowOptions = {}) =>
      follow((next) => call(next, options), params, options, deps.wait),
  });
}

const camelOf = (text: string): string =>
  text.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase());

const usualDeps: ClientDeps = {
  fetch: (url, init) => fetch(url, init),
  nowMs: () => Date.now(),
  random: () => Math.random(),
  wait,
  makeKey: () =>
    Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
      byte.toString(16).padStart(2, '0'),
    ).join(''),
};

function wait(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = (settle: () => void) => (): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
      settle();
    };
    const onAbort = end(() => reject(signal?.reason as Error));
    const timer = setTimeout(end(resolve), ms);
    signal?.addEventListener('abort', onAbort, { once: true });
    if (signal?.aborted) onAbort();
  });
}
