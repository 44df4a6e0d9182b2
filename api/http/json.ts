import { InvalidRequest } from './problem/problem.ts';

const depthMax = 20;
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
/** Names that no object of a request may have: they lead to its prototype. */
export const forbiddenNames: ReadonlySet<string> = new Set([
  '__proto__',
  'constructor',
  'prototype',
]);

/**
 * Parses a JSON body strictly: valid UTF-8, no duplicate members, none of the names that reach into
 * an object's prototype, at most 20 levels. Throws `InvalidRequest` with the fault.
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

/** Escapes that can spell what no text of ours may hold; most bodies have none. */
const oddEscape = /\\u(?:0000|d[89a-f])/i;

/** NUL and halves of characters: no column takes them, and no person ever means them. */
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

/** Walks text that is known to be valid JSON; only strings, brackets and colons matter then. */
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

/** Whether an odd number of backslashes stands before a place; each belongs to one place alone. */
function isEscaped(text: string, at: number): boolean {
  let first = at;
  while (text[first - 1] === '\\') first -= 1;
  return (at - first) % 2 === 1;
}

function refuse(msg: string, type: string): InvalidRequest {
  return new InvalidRequest([{ loc: ['body'], msg, type }]);
}
