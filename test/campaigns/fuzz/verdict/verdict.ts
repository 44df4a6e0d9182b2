import { contractOf } from '../../../support/http/routes.ts';
import { namedHeaders, operationOf, type DeclaredReply, type Operation } from '../operations.ts';
import { leaksIn } from './leaks.ts';
import type { Answered, Wire } from './wire.ts';

/** Headers that any answer may have without a declaration. */
const plainHeaders: ReadonlySet<string> = new Set([
  'content-type',
  'content-length',
  'content-disposition',
  'transfer-encoding',
  'connection',
  'keep-alive',
  'date',
  'vary',
  'cache-control',
  'location',
  'set-cookie',
  'last-modified',
  'link',
  'allow',
  'content-security-policy',
  'permissions-policy',
  'cross-origin-opener-policy',
  'cross-origin-resource-policy',
  'origin-agent-cluster',
  'referrer-policy',
  'strict-transport-security',
  'x-content-type-options',
  'x-dns-prefetch-control',
  'x-download-options',
  'x-frame-options',
  'x-permitted-cross-domain-policies',
  'x-xss-protection',
]);

/** Returns the operation of a request in the document; null for none. */
export function operationFor({ method, target }: Wire): Operation | null {
  const contract = contractOf(method === 'HEAD' ? 'GET' : method, target);
  return operationOf.get(contract?.id ?? '') ?? null;
}

/** Returns whether a path cannot be decoded, which is answered before any operation. */
function isUndecodable(target: string): boolean {
  try {
    decodeURIComponent(target.split('?')[0] ?? '');
    return false;
  } catch {
    return true;
  }
}

/**
 * Compares an answer with the document, and returns its faults: a server error, an undeclared
 * status, type, code, header or body, or leaked internals. Returns an empty list without a fault.
 */
export function faultsOf(wire: Wire, answer: Answered): string[] {
  const { status, headers, text } = answer;
  // The HTTP parser answers before any operation.
  if (status === 431 || (status === 400 && headers['connection'] === 'close' && text === '')) {
    return [];
  }
  const operation = operationFor(wire);
  const isStatic = operation?.id.startsWith('docs.') && status === 200;
  const shown = [text, ...Object.values(headers).flat()].join('\n');
  const leaked = isStatic ? [] : leaksIn(shown);
  const faults = leaked.map((leak) => `shows ${leak}`);
  if (status >= 500 && status !== 503) return [...faults, `answers ${status}`];
  if (headers['request-id'] === undefined && wire.method !== 'OPTIONS') {
    faults.push(`${status} has no Request-Id`);
  }
  if (!operation) return [...faults, ...strangeRefusal(wire, answer)];
  if (isUndecodable(wire.target)) return [...faults, ...strangeRefusal(wire, answer)];
  const reply = operation.replies.get(status);
  if (!reply) return [...faults, `answers ${status}, which it does not declare`];
  return [...faults, ...headerFaults(reply, answer), ...bodyFaults(reply, wire, answer)];
}

/** Judges an answer without an operation: it must be a 404 in the shape of a problem. */
function strangeRefusal({ method }: Wire, { status, text, headers }: Answered): string[] {
  if (method === 'OPTIONS' && (status === 200 || status === 204)) return [];
  // Undocumented addresses are answered too: development pages and aliases.
  if (status < 400 || method === 'HEAD') return [];
  const isPage = String(headers['content-type']).startsWith('text/html');
  if (isPage && status === 404) return [];
  const { code } = Object(parsed(text)) as { code?: unknown };
  const isKnown =
    status === 404 ? code === 'not_found' : typeof code === 'string' || status === 422;
  return isKnown ? [] : [`answers ${status} without a code where no operation is`];
}

function headerFaults({ headers: declared }: DeclaredReply, { status, headers }: Answered) {
  return Object.keys(headers).flatMap((name) => {
    if (namedHeaders.includes(name)) {
      return declared.has(name) ? [] : [`${status} has ${name}, which it does not declare`];
    }
    const isPlain = plainHeaders.has(name) || name.startsWith('access-control-');
    return isPlain ? [] : [`${status} has ${name}, which nothing declares`];
  });
}

function bodyFaults({ content, codes }: DeclaredReply, { method }: Wire, answer: Answered) {
  const { status, headers, text } = answer;
  if (method === 'HEAD') return text === '' ? [] : [`${status} has a body for HEAD`];
  const [type = ''] = String(headers['content-type'] ?? '').split(';');
  if (content.size === 0) return text === '' ? [] : [`${status} has a body and declares none`];
  const isValid = content.get(type);
  if (!isValid) return [`${status} is ${type || 'of no type'}, which it does not declare`];
  const body = /[/+]json$/.test(type) ? parsed(text) : text;
  if (body === undefined) return [`${status} is ${type} and no JSON`];
  if (!isValid(body)) {
    const [first] = isValid.errors ?? [];
    const at = first?.instancePath.replaceAll(/\/\d+/g, '/*') ?? '';
    return [`${status} is off its schema at ${at}: ${first?.message ?? ''}`];
  }
  return codes ? codeFaults(codes, body, status) : [];
}

function codeFaults(codes: readonly string[], body: unknown, status: number): string[] {
  const { code } = Object(body) as { code?: unknown };
  // A page contains its code as text; a 422 has its own shape in the interface.
  if (typeof body === 'string' || status === 422) return [];
  const isDeclared = typeof code === 'string' && codes.includes(code);
  return isDeclared ? [] : [`${status} is ${String(code)}, which it does not declare`];
}

/** Parses JSON; returns undefined for other texts. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
