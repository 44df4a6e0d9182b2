import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { preparedStatements } from '../../../db/client.ts';

const root = new URL('../../..', import.meta.url).pathname;

/** A statement of the program as its source has it. */
export interface Written {
  readonly name: string;
  /** Its text; null where that is put together elsewhere. */
  readonly text: string | null;
}

/** The statements that a source text makes. */
export function statementsIn(source: string): Written[] {
  const way =
    /\b(?:statement|sharing)(?:<[^(]*>)?\(\s*'([^']+)',\s*(?:`([^`]*)`|'((?:[^'\\]|\\.)*)'|"([^"]*)"|)/g;
  return Array.from(source.matchAll(way), ([, name = '', a, b, c]) => ({
    name,
    text: a ?? b ?? c ?? null,
  }));
}

/** Every statement of the program; those that `prepare` makes have the text that it made. */
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
 * Whether it matters who comes first to a statement: it takes a row once, writes one that may be
 * there or only where something still holds, or locks for what does. One whose text is not known is
 * taken for such.
 */
export function isContested({ text }: Written): boolean {
  if (text === null) return true;
  // What sweeps old rows out on the way passes over those another has.
  const own = text.replaceAll(/DELETE FROM [^]*?SKIP LOCKED\)/g, '');
  return [
    /\bDELETE\b[^]*\bRETURNING\b/i,
    /\bON CONFLICT\b/i,
    /\bUPDATE "?\w+"?(?:\s+\w+)?\s+SET\b[^]*\bWHERE\b[^]*(?:\bAND\b|\bIS NULL\b|\bNOT\b)/i,
    /\bFOR (?:NO KEY )?UPDATE\b/i,
  ].some((form) => form.test(own));
}
