import { createHash } from 'node:crypto';
import * as fs from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { beginningOf, everyProcess } from './identity.ts';
import { apartOf, trustedRootsPlace } from './postgres-roots-place.ts';
import { endStranger } from './processes.ts';

/** A cluster that is being made, or was when its maker ended. */
export interface Draft {
  readonly path: string;
  /** What it was to become. */
  readonly cluster: string;
  /** Who makes it; unknown where its name does not tell, as before there was such a name. */
  readonly maker: 'we' | 'alive' | 'gone' | 'unknown';
}

type IsCluster = (name: string) => boolean;

/** A directory beside a cluster, for it to be made in: its name tells who makes it. */
export function draftFor(cluster: string, pid = process.pid): string {
  return `${cluster}.${pid}.${markOf(pid)}`;
}

/** The copy of the server's password, for its own user, while a cluster is made in a draft. */
export const passwordCopyOf = (draft: string): string => `${draft}.password`;

/** Every draft in root's place, where we are root, and of the cluster of a data directory. */
export async function listDrafts(dataDir: string): Promise<Draft[]> {
  const wanted = resolve(dataDir);
  const apart = await trustedRootsPlace();
  const own = await draftsIn(dirname(wanted), (name) => name === basename(wanted));
  if (apart === null) return own;
  return [...own, ...(await draftsIn(apart, (name) => /^postgres-[0-9a-f]{16}$/.test(name)))];
}

/**
 * Removes what makers that are gone have left, of whatever data directory; of this one what we have
 * broken off, and what does not tell its maker; when we end, all that we were making. What somebody
 * else alive makes is left alone, and what cannot be removed is, for `doctor` to name. Called by
 * whoever knows that nobody else starts over this directory.
 */
export async function clearDrafts(dataDir: string, isEnding = false): Promise<void> {
  const wanted = resolve(dataDir);
  const own = [wanted, await apartOf(wanted).catch(() => wanted)];
  for (const { path, cluster, maker } of await listDrafts(dataDir)) {
    const isOurs = own.includes(cluster) || (isEnding && maker === 'we');
    if (maker === 'gone' || (isOurs && maker !== 'alive')) await remove(path);
  }
}

async function remove(draft: string): Promise<void> {
  await endInitializations(draft);
  await fs.rm(passwordCopyOf(draft), { force: true }).catch(() => undefined);
  // What the program has forked may write for a moment still.
  await fs.rm(draft, { recursive: true, force: true, maxRetries: 5 }).catch(() => undefined);
}

async function draftsIn(directory: string, isCluster: IsCluster): Promise<Draft[]> {
  const names = await fs.readdir(directory).catch(() => []);
  const found = new Map<string, Draft>();
  for (const name of names) {
    const draft = name.replace(/\.password$/, '');
    const [, cluster = '', pid, mark] = /^(.+?)\.(?:(\d+)\.)?([0-9a-f]{12})$/.exec(draft) ?? [];
    if (mark === undefined || !isCluster(cluster)) continue;
    const maker = pid === undefined ? 'unknown' : makerOf(Number(pid), mark);
    found.set(draft, { path: join(directory, draft), cluster: join(directory, cluster), maker });
  }
  return [...found.values()];
}

function makerOf(pid: number, mark: string): Draft['maker'] {
  if (markOf(pid) !== mark) return 'gone';
  return pid === process.pid ? 'we' : 'alive';
}

/** A process id is given again: with the moment the process began it is not. */
function markOf(pid: number): string {
  const beginning = beginningOf(pid) ?? '';
  return createHash('sha256').update(beginning).digest('hex').slice(0, 12);
}

/** The program outlives a starter that is killed. */
async function endInitializations(draft: string): Promise<void> {
  for (const { pid, words } of everyProcess()) {
    const [program = '', flag, path] = words;
    if (!program.endsWith('/bin/initdb') || flag !== '-D' || path !== draft) continue;
    const beginning = beginningOf(pid);
    if (beginning !== null) await endStranger(pid, beginning, 'SIGTERM');
  }
}
