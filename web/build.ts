// Builds the browser pages twice: for browsers, and for the server, which renders the same
// components. Also builds the script by which other pages embed a check. `node web/build.ts` does
// nothing when the output is up to date.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, realpathSync } from 'node:fs';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type InlineConfig, type Plugin, type Rolldown } from 'vite';

const root = fileURLToPath(new URL('..', import.meta.url));
const dist = join(root, 'web/dist');
/** Sources that the build output does not name: sources of its workers, and pictures in styles. */
const unnamed = ['capture', 'check/drawings', 'check/specimens'].map((at) => join(root, 'web', at));
/** Maps the path of each source of a build to its hash. */
type Sources = Record<string, string>;

const common = {
  root,
  configFile: false,
  logLevel: 'warn',
  envDir: false,
  publicDir: false,
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
} satisfies InlineConfig;

/**
 * Builds `web/dist` unless it is up to date. Concurrent builds are harmless, because each renames
 * its own folder into place.
 * @returns whether anything was built
 */
export async function buildPages(): Promise<boolean> {
  if (await isUpToDate()) return false;
  const made = `${dist}.${process.pid}`;
  await rm(made, { recursive: true, force: true });
  await mkdir(made, { recursive: true });
  const outputs = await forProduction(async () => [
    await build(forBrowsers(made)),
    await build(forServer(made)),
    await build(forHosts(made)),
  ]);
  await writeFile(join(made, 'sources.json'), JSON.stringify(sourcesOf(outputs)));
  const old = `${made}.old`;
  await rename(dist, old).catch(ifMissing);
  await rename(made, dist).catch(async (error: unknown) => {
    // Another process finished first and built the same sources.
    if (!(await isUpToDate())) throw error;
    await rm(made, { recursive: true });
  });
  await rm(old, { recursive: true, force: true });
  return true;
}

/** Some packages bundle more code under other values of `NODE_ENV`, such as that of a test run. */
async function forProduction<T>(act: () => Promise<T>): Promise<T> {
  const { NODE_ENV } = process.env;
  process.env['NODE_ENV'] = 'production';
  try {
    return await act();
  } finally {
    if (NODE_ENV === undefined) delete process.env['NODE_ENV'];
    else process.env['NODE_ENV'] = NODE_ENV;
  }
}

/** Browsers receive parsed messages. The parser would be a quarter of the page's program. */
const withoutParser = {
  '@formatjs/icu-messageformat-parser': '@formatjs/icu-messageformat-parser/no-parser.js',
};

/**
 * Replaces modules in a build.
 * @param id import specifier or paths of the modules
 */
const replacing = (name: string, id: RegExp, code: string): Plugin => ({
  name,
  enforce: 'pre',
  resolveId: { filter: { id }, handler: () => `\0${name}` },
  load: { filter: { id: new RegExp(`^\0${name}$`) }, handler: () => code },
});

/**
 * The page connects by WebSocket only, and falls back to HTTP requests. The client's other
 * transports are never used and would be a quarter of the page's program.
 */
const webSocketsOnly = replacing(
  'web-sockets-only',
  /\/(?:polling-xhr|webtransport)(?:\.node)?\.js$/,
  'export const XHR = undefined, WT = undefined;',
);

/** A page formats few numbers and dates, so a cache of formatters is not worth its 0.3 kB. */
const withoutFormatterCache = replacing(
  'without-formatter-cache',
  /^@formatjs\/fast-memoize$/,
  'export const memoize = (make) => make, strategies = {};',
);

/** The server renders pages and does not follow checks, so its build omits the socket client. */
const withoutSockets = replacing(
  'without-sockets',
  /^socket\.io-client$/,
  'export const io = undefined;',
);

const forBrowsers = (outDir: string): InlineConfig => ({
  ...common,
  resolve: { alias: withoutParser },
  plugins: [webSocketsOnly, withoutFormatterCache],
  build: {
    outDir: join(outDir, 'browser'),
    assetsDir: '',
    target: 'es2022',
    manifest: 'manifest.json',
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    rolldownOptions: { input: { check: join(root, 'web/check/main.tsx') } },
  },
  // Addresses of chunks and workers are relative to the script that loads them.
  base: './',
});

const forServer = (outDir: string): InlineConfig => ({
  ...common,
  plugins: [withoutSockets],
  ssr: { noExternal: true },
  build: {
    outDir: join(outDir, 'server'),
    ssr: true,
    target: 'node24',
    reportCompressedSize: false,
    rolldownOptions: { input: { check: join(root, 'web/check/server.tsx') } },
  },
});

/** The script with which other pages embed a check. Its file names have no hashes. */
const forHosts = (outDir: string): InlineConfig => ({
  ...common,
  build: {
    outDir: join(outDir, 'sdk'),
    assetsDir: '',
    target: 'es2022',
    modulePreload: false,
    reportCompressedSize: false,
    rolldownOptions: {
      input: { open: join(root, 'web/sdk/open.ts'), react: join(root, 'web/sdk/react.ts') },
      external: ['react'],
      preserveEntrySignatures: 'allow-extension',
      // Otherwise `react.js` would import `open` under a different name than other modules do.
      output: { entryFileNames: '[name].js', minifyInternalExports: false },
    },
  },
});

type Built = Awaited<ReturnType<typeof build>>;

/** Our own sources, and the lockfile, which represents every package. */
function sourcesOf(outputs: readonly Built[]): Sources {
  const results = outputs.flat().flatMap((result) => ('output' in result ? result.output : []));
  const modules = results.flatMap((each) => (each.type === 'chunk' ? modulesOf(each) : []));
  const more = unnamed.flatMap((folder) => readdirSync(folder).map((name) => join(folder, name)));
  const others = [join(root, 'package-lock.json'), fileURLToPath(import.meta.url)];
  const paths = [...modules, ...more, ...others];
  return Object.fromEntries(
    [...new Set(paths)].map((path) => [relative(root, path), hashOf(path)]),
  );
}

const modulesOf = ({ moduleIds }: Rolldown.OutputChunk): string[] =>
  moduleIds
    .map((id) => id.replace(/\?.*$/, ''))
    .filter((id) => id.startsWith(root) && !id.includes('node_modules') && existsSync(id));

async function isUpToDate(): Promise<boolean> {
  const text = await readFile(join(dist, 'sources.json'), 'utf8').catch(ifMissing);
  if (!text) return false;
  const sources = JSON.parse(text) as Sources;
  return Object.entries(sources).every(([path, hash]) => {
    const source = join(root, path);
    return existsSync(source) && hashOf(source) === hash;
  });
}

const hashOf = (path: string): string =>
  createHash('sha256').update(readFileSync(path)).digest('hex');

function ifMissing(error: unknown): undefined {
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
  throw error;
}

const [, started = ''] = process.argv;
if (existsSync(started) && realpathSync(started) === fileURLToPath(import.meta.url)) {
  const isBuilt = await buildPages();
  process.stdout.write(isBuilt ? 'web/dist is built\n' : 'web/dist is up to date\n');
}
