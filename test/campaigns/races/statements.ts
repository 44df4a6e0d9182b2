import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { preparedStatements } from '../../../db/client.ts';

const root = new URL('../../..', import.meta.url).pathname;

/** A SQL statement of the program, as in its source. */
export interface Written {
  readonly name: string;
  /** Its text; null when it is built elsewhere. */
  readonly text: string | null;
}

/** Returns the statements in a source text. */
export function statementsIn(source: string): Written[] {
  const way =
    /\b(?:statement|sharing)(?:<[^(]*>)?\(\s*'([^']+)',\s*(?:`([^`]*)`|'((?:[^'\\]|\\.)*)'|"([^"]*)"|)/g;
  return Array.from(source.matchAll(way), ([, name = '', a, b, c]) => ({
    name,
    text: a ?? b ?? c ?? null,
  }));
}

/** Returns every statement of the program; those made by `prepare` have their final text. */
export async function allStatements(): Promise<Written[]> {
  const files = ['db', 'activities', 'api', 'workers'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.ts'))
      .map((path) => join(root, folder, path)),
  );
  const all: Written[] = [];
  for (const file of files) {
    const source = readFileSync(file, 'utf8');
    all.push(...statementsIn(source));
    const names = Array.from(source.matchAll(/= prepare\(\s*'([^']+)'/g), ([, name = '']) => name);
    if (names.length > 0) await import(file);
    all.push(...names.map((name) => ({ name, text: preparedStatements.get(name) ?? null })));
  }
  return all;
}

/**
 * Returns whether the order of callers matters to a statement. That is so when it takes a row once,
 * writes one conditionally, or locks rows. A statement without a known text counts as such.
 */
export function isContested({ text }: Written): boolean {
  if (text === null) return true;
  // A cleanup of old rows within the statement skips rows locked by others.
  const own = text.replaceAll(/DELETE FROM [^]*?SKIP LOCKED\)/g, '');
  return [
    /\bDELETE\b[^]*\bRETURNING\b/i,
    /\bON CONFLICT\b/i,
    /\bUPDATE "?\w+"?(?:\s+\w+)?\s+SET\b[^]*\bWHERE\b[^]*(?:\bAND\b|\bIS NULL\b|\bNOT\b)/i,
    /\bFOR (?:NO KEY )?UPDATE\b/i,
  ].some((form) => form.test(own));
}
