import { spawn } from 'node:child_process';
import { mkdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { environment } from '../../api/config.ts';
import { cacheDirectory } from './cache.ts';

export interface GoBuild {
  readonly name: string;
  readonly goPackage: string;
  /** About how long it takes on two cores, for the line that says so. */
  readonly minutes: number;
  readonly say: (line: string) => void;
}

/**
 * Builds a program from its Go module into the cache, once a machine.
 * Throws one line with the way out when Go is not there or the build fails.
 */
export async function buildWithGo(build: GoBuild): Promise<string> {
  const directory = join(cacheDirectory(), 'bin');
  const building = join(cacheDirectory(), `build-${process.pid}`);
  await mkdir(directory, { recursive: true });
  await mkdir(building, { recursive: true });
  const about = `about ${build.minutes} min on two cores`;
  build.say(`building ${build.name} from its Go module, ${about}; kept in ${directory}`);
  const started = Date.now();
  const progress = setInterval(() => {
    const seconds = Math.round((Date.now() - started) / 1000);
    build.say(`still building ${build.name}: ${seconds} s (${about})`);
  }, 30_000);
  try {
    await run(['install', build.goPackage], building);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`${build.name} is not there and cannot be built: ${reason}`, { cause });
  } finally {
    clearInterval(progress);
  }
  const path = join(directory, build.name);
  await rename(join(building, build.name), path);
  return path;
}

function run(flags: readonly string[], gobin: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn('go', flags, {
      stdio: ['ignore', 'ignore', 'pipe'],
      env: { ...environment(), GOBIN: gobin, CGO_ENABLED: '0' },
    });
    let tail = '';
    child.stderr.on('data', (part: Buffer) => {
      tail = (tail + part.toString()).slice(-2000);
    });
    child.once('error', () =>
      reject(new Error('Go is not installed; put the program on the PATH')),
    );
    child.once('close', (code) => {
      if (code === 0) resolve();
      else reject(new Error(tail.trim().split('\n').slice(-3).join(' ')));
    });
  });
}

/** Whether Go is there. */
export async function findGo(): Promise<boolean> {
  return new Promise((resolve) => {
    const child = spawn('go', ['version'], { stdio: 'ignore' });
    child.once('error', () => resolve(false));
    child.once('close', (code) => resolve(code === 0));
  });
}
