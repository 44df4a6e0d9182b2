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

/** What stands for Node's modules in a browser, each exactly as far as the verifier uses it. */
const standIns: Readonly<Record<string, string>> = {
  'node:crypto': web('node/crypto.ts'),
  'node:fs': web('node/fs.ts'),
  'node:module': web('node/module.ts'),
};

/** The verifier pulls something in that a browser does not have. */
export class NotForBrowsers extends Error {
  override readonly name = 'NotForBrowsers';
}

/**
 * Bundles a program of `web/verify` for a browser, whole: what is not used is left out, what Node
 * alone has is replaced or refused.
 * @param entry the name of its file there
 * @param globalName what its exports are put under; none for a program that only runs
 * @throws NotForBrowsers naming the modules for which there is no stand-in
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

/** A bundle as it lies in a page: compressed, as base64. */
export async function packed(bundle: string): Promise<string> {
  return (await compress(bundle, { level: 9 })).toString('base64');
}
const compress = promisify<string, ZlibOptions, Buffer>(gzip);

/** Ends the bundler, which would stay beside this process as long as that runs. */
export const endBundler = stop;

/** Where modules of the bundle believe to be. */
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
      // Of commands only what touches no disk is used; whether that is so is seen in the end.
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

/** A module of ours with what Node gives it unasked, and with the files it reads by their names. */
function prepared(path: string): string {
  const text = readFileSync(path, 'utf8');
  const lines = /\bBuffer\b/.test(text)
    ? [`import { Buffer } from ${quoted(web('node/buffer.ts'))};`]
    : [];
  if (/from 'node:module'/.test(text)) lines.push(...embedding(path, text));
  return `${lines.join('')}${text}`;
}

/** Every file and every package that a module names, put where it looks for them. */
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

/** The manifests of packages, and of those they bring themselves, cut down to the version. */
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

/** Where a package is that a module or another package names, here and in the page. */
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
