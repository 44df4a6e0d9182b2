import { join } from 'node:path';
import { lockFile } from '../data-directory/state.ts';
import { beginningOf, everyProcess } from './identity.ts';
import { readLeft, type LedgerContent } from './ledger.ts';
import { clustersOf } from './postgres-roots-place.ts';

type Stray = LedgerContent['children'][number];
type Words = readonly string[];

/**
 * What runs over a data directory without standing in a ledger: its starter was killed, and the
 * directory was removed or emptied since. Known by the words it was started by. Called by whoever
 * knows that no starter runs there.
 */
export async function findStrays(dataDir: string): Promise<Stray[]> {
  const cluster = join(dataDir, 'postgres');
  const clusters = [cluster, ...(await clustersOf(cluster))];
  const dbFile = join(dataDir, 'temporal.db');
  const kinds: readonly [string, (words: Words) => boolean][] = [
    ['api', (words) => isService(words, '/api/main.ts', dataDir)],
    ['worker', (words) => isService(words, '/workers/main.ts', dataDir)],
    ['temporal', (words) => isTemporal(words, dbFile)],
    ['postgres', (words) => clusters.some((path) => isPostgres(words, path))],
  ];
  return everyProcess().flatMap(({ pid, words }) => {
    const [name] = kinds.find(([, test]) => test(words)) ?? [];
    const beginning = name === undefined ? null : beginningOf(pid);
    return name === undefined || beginning === null ? [] : [{ name, pid, beginning }];
  });
}

/**
 * What a start that was killed has left running, noted or found. Called by whoever knows that no
 * starter runs there.
 */
export async function findLeft(dataDir: string): Promise<Stray[]> {
  const noted = readLeft(lockFile(dataDir));
  const strays = await findStrays(dataDir);
  return [...noted, ...strays.filter(({ pid }) => noted.every((each) => each.pid !== pid))];
}

/** Their names, each with its process. */
export function namesOf(left: readonly Stray[]): string {
  return left.map(({ name, pid }) => `${name} (process ${pid})`).join(', ');
}

/** Whatever flags its Node has. */
function isService(words: Words, end: string, dataDir: string): boolean {
  return words.at(-1) === dataDir && (words.at(-2) ?? '').endsWith(end);
}

function isTemporal(words: Words, dbFile: string): boolean {
  const [, first, second] = words;
  const at = words.indexOf('--db-filename');
  return first === 'server' && second === 'start-dev' && at > 0 && words[at + 1] === dbFile;
}

function isPostgres([program = '', flag, path]: Words, cluster: string): boolean {
  return program.endsWith('/bin/postgres') && flag === '-D' && path === cluster;
}
