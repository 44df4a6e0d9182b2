import { join } from 'node:path';
import { beginningOf, everyProcess, parentOf, type Process } from './identity.ts';
import { sendSignal, waitUntil } from './processes.ts';

/** A process of a local platform. */
export interface PlatformProcess {
  readonly name: string;
  readonly pid: number;
  readonly beginning: string;
}

const stopMsMax = 15_000;
const killMsMax = 5_000;
/** Stop order: clients of a server end before it. */
const stopOrder = [['api', 'worker', 'initdb'], ['temporal'], ['postgres']];

/** PostgreSQL setting that identifies its processes; the server ignores it. */
export const postgresMark = (dataDir: string): string => `trustcheck.directory=${dataDir}`;

/**
 * Finds the processes of a data directory's platform by their command lines. Also finds them after
 * a `kill -9` of their starter, and after the directory was removed.
 */
export function findProcesses(dataDir: string): PlatformProcess[] {
  const found = everyProcess().flatMap(({ pid, words }) => {
    const name = nameOf(words, dataDir);
    const beginning = name && beginningOf(pid);
    return name && beginning ? [{ name, pid, beginning }] : [];
  });
  // A PostgreSQL backend starts with the command line of its server.
  return found.filter(({ pid }) => found.every((other) => other.pid !== parentOf(pid)));
}

function nameOf(words: Process['words'], dataDir: string): string | null {
  const mark = postgresMark(join(dataDir, 'postgres'));
  const marks = [
    ['api', words.at(-2)?.endsWith('/api/main.ts'), dataDir],
    ['worker', words.at(-2)?.endsWith('/workers/main.ts'), dataDir],
    ['temporal', words.includes('start-dev'), join(dataDir, 'temporal.db')],
    ['postgres', runs(words, 'postgres'), `--${mark}`],
    ['initdb', runs(words, 'initdb'), `--set=${mark}`],
  ] as const;
  return marks.find(([, isKind, word]) => isKind && words.includes(word))?.[0] ?? null;
}

/**
 * Returns true if a process runs a program of PostgreSQL, or `setpriv`, which becomes that program.
 */
export function runs(words: Process['words'], program: 'postgres' | 'initdb'): boolean {
  return words.some((word) => word.endsWith(`/bin/${program}`));
}

/** Ends the processes of a data directory in order. The caller holds its lock. */
export async function endLeft(dataDir: string): Promise<void> {
  for (const names of stopOrder) {
    await Promise.all(
      findProcesses(dataDir)
        .filter(({ name }) => names.includes(name))
        .map(end),
    );
  }
}

/** Kills the processes of a data directory immediately. */
export function killLeft(dataDir: string): void {
  for (const { name, pid } of findProcesses(dataDir)) {
    // SIGQUIT is the immediate shutdown of PostgreSQL: SIGKILL would leave its backends.
    sendSignal(pid, name === 'postgres' ? 'SIGQUIT' : 'SIGKILL');
  }
}

/** Lists processes by name and pid. */
export function namesOf(left: readonly PlatformProcess[]): string {
  return left.map(({ name, pid }) => `${name} (process ${pid})`).join(', ');
}

async function end({ name, pid, beginning }: PlatformProcess): Promise<void> {
  const isGone = async (): Promise<boolean> => beginningOf(pid) !== beginning;
  // SIGINT is the fast shutdown of PostgreSQL: SIGTERM would wait for its clients.
  sendSignal(pid, name === 'postgres' ? 'SIGINT' : 'SIGTERM');
  await waitUntil(isGone, stopMsMax).catch(async () => {
    if (!(await isGone())) sendSignal(pid, 'SIGKILL');
    await waitUntil(isGone, killMsMax).catch(() => undefined);
  });
}
