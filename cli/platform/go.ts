import { spawn } from 'node:child_process';
import { mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { environment } from '../environment.ts';
import { cacheDirectory } from './cache.ts';
import { getOnce } from './get-once.ts';
import { makeDirectory } from './make-directory.ts';
import { sendSignal, type OnSpawn } from './processes.ts';
import { isProgram } from './programs.ts';

export interface GoBuild {
  readonly name: string;
  readonly goPackage: string;
  /** About how long it takes on two cores, for the line that says so. */
  readonly minutes: number;
  readonly cache?: string;
  /** Directories as in PATH; the machine's own when left out. */
  readonly path?: string;
  readonly say: (line: string) => void;
  readonly signal?: AbortSignal | undefined;
  readonly onSpawn?: OnSpawn;
}

const progressMs = 15_000;

/**
 * Builds a program from its Go module into the cache. To be called under the cache's lock of that
 * name, so that what an interrupted build has left can be cleared.
 * Throws one line with the way out when Go is not there or the build fails.
 */
export async function buildWithGo(build: GoBuild): Promise<string> {
  const { name, say } = build;
  const cache = build.cache ?? cacheDirectory();
  const directory = join(cache, 'bin');
  const draft = join(cache, `${name}.build`);
  const path = build.path ?? environment()['PATH'] ?? '';
  if (!(await findGo(path))) throw new Error(wayOut(build, 'Go is not on the PATH'));
  const about = `about ${build.minutes} min on two cores`;
  say(`building ${name} from its Go module (${about}, once a machine); kept in ${directory}`);
  const started = Date.now();
  const progress = setInterval(() => {
    const seconds = Math.round((Date.now() - started) / 1000);
    say(`building ${name}: ${seconds} s so far (${about})`);
  }, progressMs);
  try {
    makeDirectory(directory);
    await rm(draft, { recursive: true, force: true });
    await mkdir(draft);
    await install(build, draft, path);
    await rename(join(draft, name), join(directory, name));
    return join(directory, name);
  } catch (cause) {
    build.signal?.throwIfAborted();
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new Error(wayOut(build, reason), { cause });
  } finally {
    clearInterval(progress);
    await rm(draft, { recursive: true, force: true });
  }
}

/** A program from our cache, built when it is not there yet; of several processes one builds. */
export async function getWithGo(build: GoBuild): Promise<string> {
  const cache = build.cache ?? cacheDirectory();
  const { name, say, signal } = build;
  const program = join(cache, 'bin', name);
  return getOnce({
    cache,
    name,
    say,
    signal,
    find: async () => ((await isProgram(program)) ? program : null),
    get: async (ledger) => buildWithGo({ ...build, cache, onSpawn: ledger.add }),
  });
}

/** Whether Go is on a path. */
export async function findGo(path = environment()['PATH'] ?? ''): Promise<boolean> {
  return new Promise((resolve) => {
    const child = spawn('go', ['version'], {
      stdio: 'ignore',
      env: { ...environment(), PATH: path },
    });
    child.once('error', () => resolve(false));
    child.once('close', (code) => resolve(code === 0));
  });
}

function wayOut(build: GoBuild, reason: string): string {
  return `${build.name} cannot be built (${reason}): ${remedyOf(build)}`;
}

/** What a person does where a program cannot be had. */
export function remedyOf({ name, goPackage }: Pick<GoBuild, 'name' | 'goPackage'>): string {
  return `put ${name} on the PATH, or Go to build ${goPackage}`;
}

/** In a process group of its own, so that the compilers it has started end with it. */
function install(build: GoBuild, gobin: string, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn('go', ['install', build.goPackage], {
      stdio: ['ignore', 'ignore', 'pipe'],
      detached: true,
      env: { ...environment(), PATH: path, GOBIN: gobin, CGO_ENABLED: '0' },
    });
    if (child.pid !== undefined) build.onSpawn?.('go', child.pid);
    const end = (): void => {
      if (child.pid !== undefined) sendSignal(-child.pid, 'SIGTERM');
    };
    build.signal?.addEventListener('abort', end, { once: true });
    let tail = '';
    child.stderr.on('data', (part: Buffer) => {
      tail = (tail + part.toString()).slice(-2000);
    });
    child.once('error', reject);
    child.once('close', (code) => {
      build.signal?.removeEventListener('abort', end);
      if (code === 0) resolve();
      else reject(new Error(tail.trim().split('\n').slice(-3).join(' ') || `exit ${code}`));
    });
  });
}
