import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const dist = fileURLToPath(new URL('../../../web/dist/', import.meta.url));

/** The pages were not built, so the service cannot show any. */
export class PagesNotBuilt extends Error {
  override readonly name = 'PagesNotBuilt';
  override readonly message = 'web/dist is missing: run npm run build';
}

interface Built {
  /** The file name of the script of each entry. It changes with the content. */
  readonly scripts: ReadonlyMap<string, string>;
  readonly files: ReadonlyMap<string, Buffer>;
}

let built: Built | null = null;

/**
 * Returns all files built for browsers. Reads them once.
 * @throws PagesNotBuilt
 */
export function builtPages(): Built {
  built ??= readBuilt();
  return built;
}

function readBuilt(): Built {
  const folder = join(dist, 'browser');
  if (!existsSync(folder)) throw new PagesNotBuilt();
  const names = readdirSync(folder).filter((name) => name !== 'manifest.json');
  const files = new Map(names.map((name) => [name, readFileSync(join(folder, name))]));
  const manifest = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8')) as Record<
    string,
    { readonly file: string; readonly name?: string; readonly isEntry?: boolean }
  >;
  const entries = Object.values(manifest).filter(({ isEntry }) => isEntry);
  return { scripts: new Map(entries.map(({ name = '', file }) => [name, file])), files };
}

/**
 * Returns the path of the script of a page.
 * @throws PagesNotBuilt
 */
export function builtScript(entry: string): string {
  const file = builtPages().scripts.get(entry);
  if (file === undefined) throw new PagesNotBuilt();
  return `/assets/${file}`;
}

let sdk: Buffer | null = null;

/**
 * Returns the script with which other sites embed a check. Reads it once.
 * @throws PagesNotBuilt
 */
export function builtSdk(): Buffer {
  sdk ??= readSdk();
  return sdk;
}

function readSdk(): Buffer {
  const path = join(dist, 'sdk/open.js');
  if (!existsSync(path)) throw new PagesNotBuilt();
  return readFileSync(path);
}

/**
 * Imports a module that was built to render pages on the server.
 * @throws PagesNotBuilt
 */
export async function builtModule<Module>(entry: string): Promise<Module> {
  const path = join(dist, 'server', `${entry}.js`);
  if (!existsSync(path)) throw new PagesNotBuilt();
  return (await import(pathToFileURL(path).href)) as Module;
}
