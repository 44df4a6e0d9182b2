import { execFile } from 'node:child_process';
import * as fs from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { reasonOf } from '../command-line/reason.ts';
import { environment } from '../environment.ts';
import { cacheDirectory, makeDirectory } from './cache.ts';
import { withLock } from './lock.ts';

export interface Getting {
  readonly say: (line: string) => void;
  readonly signal?: AbortSignal | undefined;
}

export interface GoProgram {
  readonly name: string;
  readonly goPackage: string;
  /** Approximate build time on two cores. */
  readonly minutes: number;
}

const run = promisify(execFile);
/** The newest tag that a plain `go install` can build. The download has the same version. */
const version = '1.5.1';
const temporal: GoProgram = {
  name: 'temporal',
  goPackage: `github.com/temporalio/cli/cmd/temporal@v${version}`,
  minutes: 5,
};
const remedyOf = ({ name, goPackage }: GoProgram): string =>
  `put ${name} on the PATH, or Go to build ${goPackage}`;
/** The SDK downloads it from there too. */
const archiveUrl = 'https://temporal.download/cli/archive';
/** Server 1.26 is the first with update-with-start, which every flow starts with. */
const minorNeeded = 26;
const answerMsMax = 10_000;
const downloadMsMax = 5 * 60_000;

/**
 * Finds the Temporal program, the first of these that works: on the PATH, in the cache, downloaded,
 * built from its Go module.
 * @throws a one-line error with the remedy if none works
 */
export async function findTemporal(getting: Getting, url = archiveUrl): Promise<string> {
  const { say, signal } = getting;
  const found = await findInstalledTemporal(say);
  if (found) return found;
  return getProgram(temporal.name, getting, async (folder) => {
    say('downloading the Temporal server (about 60 MB, once a machine)');
    await download(url, folder, signal).catch(async (error: unknown) => {
      signal?.throwIfAborted();
      say(`the Temporal server cannot be downloaded: ${causesOf(error)}`);
      await build(temporal, folder, getting);
    });
  });
}

/** Returns the program on the PATH or in the cache, or null. */
export async function findInstalledTemporal(say: Getting['say']): Promise<string | null> {
  for (const directory of (environment()['PATH'] ?? '').split(delimiter)) {
    const program = join(directory, 'temporal');
    if (directory === '' || !(await isProgram(program))) continue;
    const output = await run(program, ['--version'], { timeout: answerMsMax }).catch(() => null);
    const server = /Server ((\d+)\.(\d+)\.\d+)/.exec(output?.stdout ?? '') ?? [];
    const [, full = 'unknown', major, minor] = server;
    if (Number(major) > 1 || (major === '1' && Number(minor) >= minorNeeded)) return program;
    say(`${program} is passed over: server ${full}, needed 1.${minorNeeded}`);
  }
  const cached = join(cacheDirectory(), 'bin', 'temporal');
  return (await isProgram(cached)) ? cached : null;
}

/**
 * Returns why a start could not get the program, in one line with the remedy. Returns null if it
 * could: Go is installed, or the download server responds.
 */
export async function faultOfGetting(url = archiveUrl): Promise<string | null> {
  if (await run('go', ['version']).catch(() => null)) return null;
  try {
    await (await request(url, AbortSignal.timeout(answerMsMax))).body?.cancel();
    return null;
  } catch (error) {
    return `no download (${causesOf(error)}), and Go is not on the PATH: ${remedyOf(temporal)}`;
  }
}

/**
 * Returns a program from the cache. If it is missing, one of several processes gets it.
 * @param get puts the program into a folder
 */
export async function getProgram(
  name: string,
  { say, signal }: Getting,
  get: (folder: string) => Promise<void>,
): Promise<string> {
  const folder = join(cacheDirectory(), `${name}.draft`);
  const path = join(cacheDirectory(), 'bin', name);
  const onWait = (pid: number): void =>
    say(`process ${pid} is getting ${name} already; waiting for it`);
  const task = async (): Promise<string> => {
    if (await isProgram(path)) return path;
    await fs.rm(folder, { recursive: true, force: true });
    try {
      [folder, join(path, '..')].forEach(makeDirectory);
    } catch (cause) {
      const why = `${name} cannot be kept in ${cacheDirectory()} (${reasonOf(cause)})`;
      throw new Error(`${why}; set XDG_CACHE_HOME`, { cause });
    }
    try {
      await get(folder);
      await fs.chmod(join(folder, name), 0o755);
      await fs.rename(join(folder, name), path);
      return path;
    } finally {
      await fs.rm(folder, { recursive: true, force: true });
    }
  };
  return withLock(path, onWait, task, signal);
}

async function download(url: string, folder: string, aborted?: AbortSignal): Promise<void> {
  const limit = AbortSignal.timeout(downloadMsMax);
  const signal = aborted ? AbortSignal.any([limit, aborted]) : limit;
  const { body } = await request(url, signal);
  const archive = join(folder, 'archive.tar.gz');
  await fs.writeFile(archive, body ?? [], { signal });
  await run('tar', ['-xzf', archive, '-C', folder, temporal.name], { signal });
}

async function request(url: string, signal: AbortSignal): Promise<Response> {
  const arch = process.arch === 'x64' ? 'amd64' : process.arch;
  const address = `${url}/v${version}?platform=${process.platform}&arch=${arch}`;
  const response = await fetch(address, { signal });
  if (response.ok) return response;
  await response.body?.cancel();
  throw new Error(`answer ${response.status}`);
}

/** Builds a program from its Go module into a folder. */
export async function build(
  program: GoProgram,
  folder: string,
  { say, signal }: Getting,
): Promise<void> {
  const { name, goPackage, minutes } = program;
  say(`building ${name} from its Go module (about ${minutes} min on two cores, once a machine)`);
  const env = { ...environment(), GOBIN: folder, CGO_ENABLED: '0' };
  try {
    await run('go', ['install', goPackage], { env, ...(signal && { signal }) });
  } catch (cause) {
    signal?.throwIfAborted();
    throw new Error(`${name} cannot be built (${causesOf(cause)}): ${remedyOf(program)}`, {
      cause,
    });
  }
}

function isProgram(path: string): Promise<boolean> {
  return fs.access(path, fs.constants.X_OK).then(
    () => true,
    () => false,
  );
}

/**
 * Returns the reason of a failure: the last lines of a program's output, or the cause of a fetch
 * error.
 */
function causesOf(error: unknown): string {
  const { code, stderr, cause } = Object(error);
  if (code === 'ENOENT') return `${Object(error).path} is not on the PATH`;
  if (stderr) return String(stderr).trim().split('\n').slice(-3).join(' ');
  return `${reasonOf(error)}${cause instanceof Error ? ` (${cause.message})` : ''}`;
}
