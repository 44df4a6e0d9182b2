// Builds the npm packages `web` and `client`, each with JavaScript, types and the manifest of its
// sources. The output is in `dist` or in the given folder.
import { execFile } from 'node:child_process';
import { cp, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { build } from 'vite';
import { typesOfOpenApi } from './types-of-openapi.ts';
import { failureCodes } from '../../workflows/failures.ts';
import { buildPages } from '../build.ts';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../..', import.meta.url));
const compiler = createRequire(import.meta.url).resolve('typescript/package.json');

interface Manifest {
  readonly exports: Readonly<Record<string, string>>;
  readonly [member: string]: unknown;
}

const [, , output = join(root, 'dist')] = process.argv;
const dist = resolve(output);
await buildPages();
for (const name of ['web', 'client']) await rm(join(dist, name), { recursive: true, force: true });
await buildWeb(join(root, 'web/sdk'), join(dist, 'web'));
await buildClient(join(root, 'client'), join(dist, 'client'));
process.stdout.write(`${join(dist, 'web')} and ${join(dist, 'client')} are built\n`);

/** Builds `open.js`, which the service also serves at `/sdk/v1.js`, and `react.js`. */
async function buildWeb(source: string, target: string): Promise<void> {
  await cp(join(root, 'web/dist/sdk'), target, { recursive: true });
  await emitTypes(source, target);
  await writeManifest(source, target);
}

async function buildClient(source: string, target: string): Promise<void> {
  await build({
    configFile: false,
    logLevel: 'warn',
    build: {
      outDir: target,
      target: 'es2022',
      minify: false,
      reportCompressedSize: false,
      lib: { entry: join(source, 'index.ts'), formats: ['es'], fileName: 'index' },
    },
  });
  // The types of the sources depend on the whole service. The types of the package come from the
  // OpenAPI document instead.
  const typed = join(target, '.types');
  await cp(source, typed, { recursive: true });
  await cp(join(root, 'web/packages/client-contracts.d.ts'), join(typed, 'contracts.ts'));
  const document = await readFile(join(root, 'api/openapi.json'), 'utf8');
  await writeFile(join(typed, 'openapi.ts'), await typesOfOpenApi(document, failureCodes));
  await emitTypes(typed, target);
  await rm(typed, { recursive: true });
  await writeManifest(source, target);
}

/** Writes only the declarations. The JavaScript already exists. */
async function emitTypes(source: string, target: string): Promise<void> {
  const settings = join(target, 'tsconfig.json');
  await writeFile(
    settings,
    JSON.stringify({
      extends: join(root, 'tsconfig.json'),
      compilerOptions: {
        noEmit: false,
        declaration: true,
        emitDeclarationOnly: true,
        rewriteRelativeImportExtensions: true,
        outDir: target,
        rootDir: source,
        lib: ['dom', 'es2022'],
        types: [],
      },
      include: [join(source, '*.ts')],
    }),
  );
  const { bin } = JSON.parse(await readFile(compiler, 'utf8')) as { bin: { tsc: string } };
  try {
    await run(process.execPath, [join(compiler, '..', bin.tsc), '-p', settings]);
  } catch (error) {
    const { stdout } = error as { readonly stdout?: string };
    throw new Error(`no types of ${source}: ${stdout ?? ''}`, { cause: error });
  } finally {
    await rm(settings);
  }
}

/** Writes the manifest of the sources, with exports that name the built files. */
async function writeManifest(source: string, target: string): Promise<void> {
  const text = await readFile(join(source, 'package.json'), 'utf8');
  const { devDependencies: _, ...manifest } = JSON.parse(text) as Manifest;
  const exports = Object.fromEntries(
    Object.entries(manifest.exports).map(([name, file]) => [
      name,
      { types: file.replace(/\.ts$/, '.d.ts'), default: file.replace(/\.ts$/, '.js') },
    ]),
  );
  await writeFile(
    join(target, 'package.json'),
    `${JSON.stringify({ ...manifest, exports }, null, 2)}\n`,
  );
  await cp(join(source, 'README.md'), join(target, 'README.md'));
  await cp(join(root, 'LICENSE'), join(target, 'LICENSE'));
}
