import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode, type BundleOptions, type WorkflowBundle } from '@temporalio/worker';
import type { OpenTelemetryPlugin } from '@temporalio/interceptors-opentelemetry-v2';

const repository = fileURLToPath(new URL('..', import.meta.url));
const workflows = join(repository, 'workflows');
/**
 * Converter that encrypts failures raised by workflows. Without it their messages would stand in
 * plain text in the histories.
 */
const failureConverterPath = join(
  repository,
  'activities',
  'runtime',
  'codec',
  'failure-converter.ts',
);
const bundlesMax = 8;
const bundleName = /^[0-9a-f]{64}\.js(\.\d+)?$/;

/**
 * Bundles all workflows once for all workers of a process, with the tracing interceptors.
 * @param folder cache of bundles between starts, by the digest of their sources; without it each
 *   start bundles anew, which takes about half of a worker's start
 */
export async function bundleWorkflows(
  plugin: OpenTelemetryPlugin,
  folder?: string,
): Promise<WorkflowBundle> {
  if (!folder) return makeBundle(plugin);
  const path = join(folder, `${await digestOfSources()}.js`);
  const kept = await readFile(path, 'utf8').catch(() => '');
  if (kept !== '') return { code: kept };
  const made = await makeBundle(plugin);
  // A cache that cannot be written costs only time: the next start bundles again.
  await keep(path, made.code).catch(() => undefined);
  await removeOldest(folder).catch(() => undefined);
  return made;
}

async function makeBundle(plugin: OpenTelemetryPlugin): Promise<WorkflowBundle> {
  return bundleWorkflowCode({
    workflowsPath: join(workflows, 'index.ts'),
    failureConverterPath,
    plugins: [plugin],
    webpackConfigHook: withoutUnused,
    logger: quiet,
  });
}

type ConfigHook = NonNullable<BundleOptions['webpackConfigHook']>;

/**
 * Drops the parts of the tracing packages that no workflow uses, and joins the rest into few
 * modules. Each loaded workflow runs all modules of its bundle.
 */
const withoutUnused: ConfigHook = (config) => ({
  ...config,
  optimization: {
    ...config.optimization,
    providedExports: true,
    usedExports: true,
    sideEffects: true,
    concatenateModules: true,
  },
});

/**
 * Digest of everything that determines a bundle: workflow sources, this file, the package lock, the
 * failure converter and the Node.js version.
 */
async function digestOfSources(): Promise<string> {
  const entries = await readdir(workflows, { recursive: true, withFileTypes: true });
  const sources = entries.filter((entry) => entry.isFile());
  const files = sources.map(({ parentPath, name }) => join(parentPath, name)).sort();
  const others = [
    join(repository, 'package-lock.json'),
    failureConverterPath,
    fileURLToPath(import.meta.url),
  ];
  const hash = createHash('sha256').update(process.version);
  for (const file of [...files, ...others]) {
    const content = await readFile(file);
    hash.update(`\0${file}\0${content.length}\0`).update(content);
  }
  return hash.digest('hex');
}

/** Writes a file atomically, since two workers may write the same one. */
async function keep(path: string, code: string): Promise<void> {
  await mkdir(join(path, '..'), { recursive: true, mode: 0o700 });
  const temporary = `${path}.${process.pid}`;
  await writeFile(temporary, code, { mode: 0o600 });
  await rename(temporary, path);
}

/** Removes the oldest bundles, and temporary files of killed starts. Other files are not ours. */
async function removeOldest(folder: string): Promise<void> {
  const names = (await readdir(folder)).filter((name) => bundleName.test(name));
  const paths = names.map((name) => join(folder, name));
  const dated = await Promise.all(
    paths.map(async (path) => ({ path, madeAt: (await stat(path)).mtimeMs })),
  );
  const old = dated.sort((one, other) => other.madeAt - one.madeAt).slice(bundlesMax);
  await Promise.all(old.map(({ path }) => rm(path, { force: true })));
}

const silent = (): void => undefined;
const quiet = {
  log: silent,
  trace: silent,
  debug: silent,
  info: silent,
  warn: silent,
  error: (message: string) => void process.stderr.write(`${message}\n`),
};
