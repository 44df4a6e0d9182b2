import { execFile } from 'node:child_process';
import { delimiter, join } from 'node:path';
import { environment } from '../environment.ts';
import { cacheDirectory } from './cache.ts';
import { getOnce } from './get-once.ts';
import { downloadTemporal, faultOfDownload } from './download.ts';
import { buildWithGo, findGo, remedyOf } from './go.ts';
import type { Ledger } from './ledger.ts';
import { isProgram } from './programs.ts';

/** Where a program may come from; the machine's own when left out. */
export interface ProgramSources {
  /** Directories as in PATH. */
  readonly path?: string;
  /** Our cache, outside the repository: what took minutes to get is got once a machine. */
  readonly cache?: string;
  readonly downloadUrl?: string;
  readonly downloadMsMax?: number;
  readonly say: (line: string) => void;
  readonly signal?: AbortSignal | undefined;
}

/** The newest tag that a plain `go install` can build; the download is of the same one. */
export const temporalVersion = '1.5.1';
const goPackage = `github.com/temporalio/cli/cmd/temporal@v${temporalVersion}`;
/** The first server that has update-with-start, which every flow begins with. */
const serverNeeded = [1, 26] as const;
const versionMsMax = 10_000;

/**
 * The program of the workflow server, the first of these that works: on the PATH, in our cache,
 * downloaded from where the SDK downloads it, built from its Go module.
 * Throws one line that names the ways out when none does.
 */
export async function findTemporal(sources: ProgramSources): Promise<string> {
  const cache = sources.cache ?? cacheDirectory();
  const { say, signal } = sources;
  return getOnce({
    cache,
    name: 'temporal',
    say,
    signal,
    find: () => findInstalledTemporal(sources),
    get: (ledger) => getTemporal(sources, cache, ledger),
  });
}

async function getTemporal(
  sources: ProgramSources,
  cache: string,
  ledger: Ledger,
): Promise<string> {
  const { say, signal } = sources;
  const downloaded = await downloadTemporal({
    version: temporalVersion,
    cache,
    say,
    signal,
    ...(sources.downloadUrl ? { url: sources.downloadUrl } : {}),
    ...(sources.downloadMsMax ? { msMax: sources.downloadMsMax } : {}),
  });
  if (downloaded) return downloaded;
  const path = sources.path ?? environment()['PATH'] ?? '';
  return buildWithGo({
    name: 'temporal',
    goPackage,
    minutes: 5,
    cache,
    path,
    say,
    signal,
    onSpawn: ledger.add,
  });
}

/**
 * Why a start would not get the program where it is not there yet, in one line with the ways out;
 * null where it would: there is Go, or the download answers.
 */
export async function faultOfGetting({
  path = environment()['PATH'] ?? '',
  downloadUrl: url,
}: Pick<ProgramSources, 'path' | 'downloadUrl'> = {}): Promise<string | null> {
  if (await findGo(path)) return null;
  const fault = await faultOfDownload({ version: temporalVersion, ...(url ? { url } : {}) });
  const remedy = remedyOf({ name: 'temporal', goPackage });
  return fault && `no download (${fault}), and Go is not on the PATH: ${remedy}`;
}

/** The program where it can be had at once, on the PATH or in our cache, or null. */
export async function findInstalledTemporal({
  path = environment()['PATH'] ?? '',
  cache = cacheDirectory(),
  say,
}: ProgramSources): Promise<string | null> {
  for (const directory of path.split(delimiter)) {
    const program = join(directory, 'temporal');
    if (directory === '' || !(await isProgram(program))) continue;
    const server = await serverVersion(program);
    if (server && isNewEnough(server)) return program;
    say(
      `${program} is passed over: server ${server ?? 'unknown'}, needed ${serverNeeded.join('.')}`,
    );
  }
  const cached = join(cache, 'bin', 'temporal');
  return (await isProgram(cached)) ? cached : null;
}

/** What `--version` says of the server inside, or null when it does not say. */
async function serverVersion(program: string): Promise<string | null> {
  return new Promise((resolve) => {
    execFile(program, ['--version'], { timeout: versionMsMax }, (error, stdout) => {
      resolve(error ? null : (/Server (\d+\.\d+\.\d+)/.exec(stdout)?.[1] ?? null));
    });
  });
}

function isNewEnough(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major > serverNeeded[0] || (major === serverNeeded[0] && minor >= serverNeeded[1]);
}
