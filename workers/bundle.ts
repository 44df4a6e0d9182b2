import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode, type BundleOptions, type WorkflowBundle } from '@temporalio/worker';
import type { OpenTelemetryPlugin } from '@temporalio/interceptors-opentelemetry-v2';

const repository = fileURLToPath(new URL('..', import.meta.url));
const workflows = join(repository, 'workflows');
/**
 * Failures that workflows make leave by it: without it their messages would stand open in
 * histories.
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
 * Bundles every workflow once for all workers of a process, tracing interceptors included.
 * @param folder where bundles are kept between starts, each under the digest of what it was made
 * of;
 *   without one it is made anew, which takes a worker about half of its start
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
  // Where nothing can be kept, every start makes its own.
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
 * The modules of a bundle are run anew for each workflow that is loaded: what tracing brings and
 * no workflow uses is left out, and what is left is joined to few modules.
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

/** Of all a bundle is made from: our sources, this file, the locked packages and the runtime. */
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

/** Under its name at once or not at all: two workers may make the same. */
async function keep(path: string, code: string): Promise<void> {
  await mkdir(join(path, '..'), { recursive: true, mode: 0o700 });
  const temporary = `${path}.${process.pid}`;
  await writeFile(temporary, code, { mode: 0o600 });
  await rename(temporary, path);
}

/** Of bundles and what a killed start has left of one; whatever else lies there is not ours. */
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
