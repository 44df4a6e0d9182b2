/** Parts of a call besides its URL. */
interface RequestParts {
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly [name: string]: unknown;
}

/** A prepared call. It is the same at every attempt. */
export interface Request {
  readonly method: string;
  /** Path and query, as sent. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array | null;
  /** True if repeating it has no further effect (RFC 9110 §9.2.2, or an Idempotency-Key). */
  readonly isRepeatable: boolean;
}

const repeatableMethods = new Set(['GET', 'PUT', 'DELETE']);

/**
 * Makes the request of an operation from its line (`PUT /v2/link/{app_id} once`) and its
 * parameters. Parameters named in the path fill it, `body` and `headers` are used as such, and the
 * others form the query. An operation marked `once` gets an idempotency key, unless `headers` have
 * one.
 * @throws TypeError for a value that is neither text nor number, and for a path segment that is
 * missing, empty or a dot segment
 */
export function makeRequest(line: string, given: RequestParts, makeKey: () => string): Request {
  const [method = '', template = '', once] = line.split(' ');
  const { body, headers = {}, ...rest } = given;
  const named = new Set<string>();
  const path = template.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    named.add(name);
    return segmentOf(name, rest[name]);
  });
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(rest)) {
    if (named.has(name) || value === undefined || value === null) continue;
    if (typeof value === 'object' && !Array.isArray(value)) {
      for (const [key, one] of Object.entries(value)) {
        query.set(`${name}[${key}]`, textOf(name, one));
      }
      continue;
    }
    const parts: readonly unknown[] = Array.isArray(value) ? value : [value];
    query.set(name, parts.map((part) => textOf(name, part)).join(','));
  }
  const own: Record<string, string> = {
    accept: 'application/json',
    ...lowerCase(headers),
    ...typeOf(body),
  };
  const key = own['idempotency-key'] ?? (once ? makeKey() : undefined);
  return {
    method,
    target: query.size > 0 ? `${path}?${query.toString()}` : path,
    headers: key === undefined ? own : { ...own, 'idempotency-key': key },
    body: bytesOf(body),
    isRepeatable: repeatableMethods.has(method) || once !== undefined,
  };
}

/**
 * Encodes one path segment. Rejects dot segments, because URL resolution would remove them and
 * change the operation.
 */
function segmentOf(name: string, value: unknown): string {
  const text = textOf(name, value);
  if (['', '.', '..'].includes(text)) throw new TypeError(`${name}: not a part of a path`);
  return encodeURIComponent(text);
}

function textOf(name: string, value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  throw new TypeError(`${name}: neither a text nor a number`);
}

function lowerCase(headers: NonNullable<RequestParts['headers']>): Record<string, string> {
  const given = Object.entries(headers).flatMap(([name, value]) =>
    value === undefined ? [] : [[name.toLowerCase(), value] as const],
  );
  return Object.fromEntries(given);
}

function typeOf(body: unknown): Record<string, string> {
  if (body === undefined) return {};
  const isRaw = body instanceof Uint8Array;
  return { 'content-type': isRaw ? 'application/octet-stream' : 'application/json' };
}

function bytesOf(body: unknown): Uint8Array | null {
  if (body === undefined) return null;
  return body instanceof Uint8Array ? body : new TextEncoder().encode(JSON.stringify(body));
}
