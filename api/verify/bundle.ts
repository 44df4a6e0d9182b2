import { KeyObject, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire, findPackageJSON, isBuiltin } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { gzip, type ZlibOptions } from 'node:zlib';
import { build, stop, type Plugin } from 'esbuild';

const root = fileURLToPath(new URL('../..', import.meta.url));
const web = (name: string): string => join(root, 'web/verify', name);

/** Replacements of Node's modules for browsers, limited to what the verifier uses. */
const standIns: Readonly<Record<string, string>> = {
  'node:crypto': web('node/crypto.ts'),
  'node:fs': web('node/fs.ts'),
  'node:module': web('node/module.ts'),
};

/** The verifier imports a module that browsers do not have. */
export class NotForBrowsers extends Error {
  override readonly name = 'NotForBrowsers';
}

/**
 * Bundles a program of `web/verify` into one browser script. Unused code is removed; Node modules
 * are replaced or refused.
 * @param entry the file name there
 * @param globalName the global that gets its exports; omitted for a program that only runs
 * @throws NotForBrowsers with the modules that have no replacement
 */
export async function bundleOf(entry: string, globalName?: string): Promise<string> {
  const { outputFiles, metafile, warnings } = await build({
    entryPoints: [web(entry)],
    absWorkingDir: root,
    bundle: true,
    write: false,
    metafile: true,
    minify: true,
    legalComments: 'none',
    charset: 'utf8',
    format: 'iife',
    platform: 'browser',
    target: 'es2024',
    logLevel: 'silent',
    define: {
      'import.meta.url': JSON.stringify(embeddedBase),
      'process.versions.unicode': 'unicodeVersion',
      nodeMembers: JSON.stringify(nodeMembers),
    },
    inject: [web('node/unicode.ts')],
    plugins: [forBrowsers],
    ...(globalName ? { globalName } : {}),
  });
  const [output] = outputFiles;
  const outside = Object.values(metafile.outputs).flatMap(({ imports }) =>
    imports.map(({ path }) => path),
  );
  const missing = warnings.map(({ text }) => text);
  if (!output || outside.length + missing.length > 0) {
    throw new NotForBrowsers([...outside, ...missing].join('; '));
  }
  return output.text;
}

/** Returns a bundle in the form a page embeds: compressed, as base64. */
export async function packed(bundle: string): Promise<string> {
  return (await compress(bundle, { level: 9 })).toString('base64');
}
const compress = promisify<string, ZlibOptions, Buffer>(gzip);

/** Stops the bundler's process, which would otherwise run as long as this one. */
export const endBundler = stop;

/** The base URL of modules in the bundle. */
const embeddedBase = 'file:///';

const methodsOf = (target: object): string[] =>
  Object.entries(Object.getOwnPropertyDescriptors(target))
    .filter(([, { value }]) => typeof value === 'function')
    .map(([name]) => name);
const membersOf = (target: object): string[] => Object.getOwnPropertyNames(target);
const nodeMembers = {
  buffers: methodsOf(Buffer),
  buffer: methodsOf(Buffer.prototype),
  certificate: membersOf(X509Certificate.prototype),
  key: membersOf(KeyObject.prototype),
};

const forBrowsers: Plugin = {
  name: 'for-browsers',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /.*/ }, ({ path, importer }) => {
      if (!isBuiltin(path)) return null;
      const standIn = standIns[path];
      // Only commands that do not access the disk are used. The result is checked at the end.
      const isCommands = importer.startsWith(join(root, 'cli')) && path !== 'node:crypto';
      return standIn && !isCommands
        ? { path: standIn }
        : { path, external: true, sideEffects: false };
    });
    onResolve({ filter: /^\.\.?\/.*\.ts$/ }, ({ path, resolveDir }) => {
      if (resolveDir.startsWith(web(''))) return null;
      return { path: join(resolveDir, path), sideEffects: false };
    });
    onLoad({ filter: /\/(activities|cli|db|domain|workflows)\/.*\.ts$/ }, ({ path }) => {
      if (!path.startsWith(root) || path.includes('node_modules')) return null;
      return { contents: prepared(path), loader: 'ts' };
    });
    onLoad({ filter: /\.(ttf|otf)$/ }, ({ path }) => ({
      contents: readFileSync(path),
      loader: 'binary',
    }));
  },
};

/** Returns a module's text with Node's globals imported, and with the files it reads embedded. */
function prepared(path: string): string {
  const text = readFileSync(path, 'utf8');
  const lines = /\bBuffer\b/.test(text)
    ? [`import { Buffer } from ${quoted(web('node/buffer.ts'))};`]
    : [];
  if (/from 'node:module'/.test(text)) lines.push(...embedding(path, text));
  return `${lines.join('')}${text}`;
}

/**
 * Returns code that embeds each file and package that a module names, where the module looks for
 * them.
 */
function embedding(path: string, text: string): string[] {
  const from = pathToFileURL(path);
  const { resolve } = createRequire(from);
  const names = Array.from(text.matchAll(/'(@?[\w./-]+)'/g), ([, name = '']) => name);
  const lines = [`import { embedFile, embedPlace } from ${quoted(web('node/embedded.ts'))};`];
  for (const [index, name] of names.filter((each) => /\.(ttf|otf)$/.test(each)).entries()) {
    lines.push(`import file${index} from ${quoted(resolve(name))};`);
    lines.push(`embedPlace(${quoted(name)}, ${quoted(embeddedBase)}, ${quoted(name)});`);
    lines.push(`embedFile(${quoted(name)}, file${index});`);
  }
  return [...lines, ...packagesNamed(names, from.href)];
}

/**
 * Returns code that embeds the manifests of packages and of their dependencies, with the version
 * only.
 */
function packagesNamed(names: readonly string[], from: string): string[] {
  const packages = [...new Set(names.filter((name) => /^(@[\w-]+\/)?[\w-]+$/.test(name)))];
  const above = packages.flatMap((name) => manifestOf(name, from) ?? []);
  const bases = [{ path: from, embedded: embeddedBase }, ...above];
  return packages.flatMap((name) =>
    bases.flatMap((base) => {
      const found = manifestOf(name, base.path);
      if (!found) return [];
      const { embedded, version } = found;
      const [place, from] = [quoted(`${name}/package.json`), quoted(base.embedded)];
      const content = `new TextEncoder().encode(${quoted(JSON.stringify({ version }))})`;
      return [
        `embedPlace(${place}, ${from}, ${quoted(embedded)});`,
        `embedFile(${quoted(embedded)}, ${content});`,
      ];
    }),
  );
}

/** Returns the location of a package, here and in the page, as seen from a module or package. */
function manifestOf(name: string, base: string) {
  let path: string | undefined;
  try {
    path = findPackageJSON(name, base);
  } catch {
    return null;
  }
  if (path === undefined) return null;
  const { version } = JSON.parse(readFileSync(path, 'utf8')) as { version: string };
  return { path, version, embedded: `npm:${name}@${version}` };
}

const quoted = (text: string): string => JSON.stringify(text);
