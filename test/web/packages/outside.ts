import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'vitest';

const execute = promisify(execFile);
export const root = fileURLToPath(new URL('../../..', import.meta.url));

/** Runs a program and returns its output; an error contains its messages. */
export async function run(
  program: string,
  words: readonly string[],
  cwd: string,
  env: Record<string, string | undefined> = process.env,
): Promise<string> {
  try {
    return (await execute(program, [...words], { cwd, env, maxBuffer: 16 * 1024 * 1024 })).stdout;
  } catch (error) {
    const { stdout, stderr } = error as { stdout?: string; stderr?: string };
    const said = `${stdout ?? ''}${stderr ?? ''}`;
    throw new Error(`${program} ${words.join(' ')}\n${said}`, { cause: error });
  }
}

/** Returns the Node of `npm ci` and the Node of the system. */
export async function nodesHere(): Promise<string[]> {
  const found = await run('/bin/sh', ['-c', 'which -a node'], '/').catch(() => '');
  const others = found.split('\n').filter((path) => path && !path.includes('node_modules'));
  return [process.execPath, ...others.slice(0, 1)];
}

export interface Outside {
  readonly folder: string;
  write(name: string, text: string): Promise<void>;
  /** Makes packages of the repository resolvable from the folder. */
  bring(names: readonly string[]): Promise<void>;
  end(): Promise<void>;
}

let packed: Promise<string> | null = null;

/** Builds and packs both packages. */
async function pack(): Promise<string> {
  const target = await mkdtemp(join(tmpdir(), 'trustcheck-packed-'));
  await run(process.execPath, ['web/packages/build.ts', target], root);
  for (const name of ['web', 'client']) {
    await run('npm', ['pack', join(target, name), '--pack-destination', target], root);
  }
  return target;
}

/** The folder of the archives, packed once for the tests of both packages. */
export const packedOnce = (): Promise<string> => (packed ??= pack());

type PackageName = 'web' | 'client';

/** A folder outside of the repository in which packages are installed from their archives. */
export async function installOutside(names: readonly PackageName[]): Promise<Outside> {
  const packages = await packedOnce();
  const archives = names.map((name) => join(packages, `trustcheck-${name}-0.1.0.tgz`));
  const folder = await mkdtemp(join(tmpdir(), 'trustcheck-outside-'));
  const write = (file: string, text: string): Promise<void> => writeFile(join(folder, file), text);
  await write('package.json', JSON.stringify({ name: 'outside', private: true, type: 'module' }));
  const options = ['--offline', '--no-audit', '--no-fund', '--ignore-scripts'];
  await run('npm', ['install', ...archives, ...options], folder);
  return {
    folder,
    write,
    async bring(brought) {
      for (const each of brought) {
        const place = join(folder, 'node_modules', each);
        await mkdir(dirname(place), { recursive: true });
        await symlink(join(root, 'node_modules', each), place);
      }
    },
    async end() {
      const folders = [folder, await packedOnce()];
      packed = null;
      await Promise.all(folders.map((path) => rm(path, { recursive: true, force: true })));
    },
  };
}

/** Compiles a file of the folder, including the types of the packages. */
export async function compile(
  { folder, write }: Outside,
  file: string,
  resolution: 'nodenext' | 'bundler',
): Promise<void> {
  const compilerOptions = {
    target: 'es2022',
    lib: ['es2022', 'dom'],
    module: resolution === 'nodenext' ? 'nodenext' : 'esnext',
    moduleResolution: resolution,
    strict: true,
    exactOptionalPropertyTypes: true,
    noEmit: true,
    skipLibCheck: false,
    jsx: 'react-jsx',
    types: [],
  };
  const settings = `tsconfig.${resolution}.json`;
  await write(settings, JSON.stringify({ compilerOptions, files: [file] }));
  const compiler = join(root, 'node_modules/typescript/bin/tsc');
  await run(process.execPath, [compiler, '-p', settings], folder);
}

/** Marks the end of a line that the compiler must reject. */
const refusedMark = '// refused';

/** Asserts that the compiler rejects exactly the marked lines of a program. */
export async function expectRefused(
  outside: Outside,
  file: string,
  source: string,
  resolution: 'nodenext' | 'bundler',
): Promise<void> {
  await outside.write(file, source);
  const said = await compile(outside, file, resolution).then(() => '', String);
  const faults = said.matchAll(/^(\S+)\((\d+),\d+\): error TS/gm);
  const refused = [...faults].map(([, name, line]) => `${name}:${line}`);
  const marked = source
    .split('\n')
    .flatMap((line, index) => (line.endsWith(refusedMark) ? [`${file}:${index + 1}`] : []));
  expect([...new Set(refused)], said).toEqual(marked);
}
