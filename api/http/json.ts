import { InvalidRequest } from './problem/problem.ts';

const depthMax = 20;
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
/** Member names that are refused because they reach an object's prototype. */
export const forbiddenNames: ReadonlySet<string> = new Set([
  '__proto__',
  'constructor',
  'prototype',
]);

/**
 * Parses a JSON body strictly: valid UTF-8, no duplicate members, no names that reach an object's
 * prototype, at most 20 levels.
 * @throws InvalidRequest
 */
export function parseJson(bytes: Uint8Array): unknown {
  let text: string;
  let value: unknown;
  try {
    text = utf8.decode(bytes);
    value = JSON.parse(text);
  } catch {
    throw refuse('the body is not valid JSON', 'json_invalid');
  }
  const fault = structureFault(text) ?? (oddEscape.test(text) ? textFault(value) : null);
  if (fault) throw refuse(fault, 'json_invalid');
  return value;
}

/** Escapes that can spell forbidden text. Most bodies have none, so they skip `textFault`. */
const oddEscape = /\\u(?:0000|d[89a-f])/i;

/** Rejects NUL and lone surrogates, which PostgreSQL columns cannot store. */
function textFault(value: unknown): string | null {
  if (typeof value === 'string') {
    const isSound = !value.includes('\0') && value.isWellFormed();
    return isSound ? null : 'a text holds NUL or half a character';
  }
  if (typeof value !== 'object' || value === null) return null;
  for (const [name, member] of Object.entries(value)) {
    const fault = textFault(name) ?? textFault(member);
    if (fault) return fault;
  }
  return null;
}

/** Scans text that is valid JSON, so only strings, brackets and colons matter. */
function structureFault(text: string): string | null {
  const members: Set<string>[] = [];
  let depth = 0;
  let lastString = '';
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at];
    if (char === '"') {
      const end = stringEnd(text, at);
      lastString = text.slice(at, end + 1);
      at = end;
    } else if (char === '{' || char === '[') {
      depth += 1;
      if (depth > depthMax) return `more than ${depthMax} levels deep`;
      members.push(new Set());
    } else if (char === '}' || char === ']') {
      depth -= 1;
      members.pop();
    } else if (char === ':') {
      const name: unknown = JSON.parse(lastString);
      const seen = members.at(-1);
      if (typeof name !== 'string' || !seen) return 'not an object';
      if (forbiddenNames.has(name)) return `the member name ${name} is not allowed`;
      if (seen.has(name)) return `the member ${JSON.stringify(name.slice(0, 40))} appears twice`;
      seen.add(name);
    }
  }
  return null;
}

function stringEnd(text: string, start: number): number {
  let at = text.indexOf('"', start + 1);
  while (isEscaped(text, at)) at = text.indexOf('"', at + 1);
  return at;
}

/** Whether an odd number of backslashes precedes an index. */
function isEscaped(text: string, at: number): boolean {
  let first = at;
  while (text[first - 1] === '\\') first -= 1;
  return (at - first) % 2 === 1;
}

function refuse(msg: string, type: string): InvalidRequest {
  return new InvalidRequest([{ loc: ['body'], msg, type }]);
}
