import { reasonOf } from '../command-line/reason.ts';
import { everyProcess } from '../platform/identity.ts';
import { endLeft, findProcesses, namesOf } from '../platform/platform-processes.ts';
import { lockOf, readLock, takeLock, type Holder } from '../platform/lock.ts';
import { waitUntil } from '../platform/processes.ts';

/** Groups of processes end one after the other, and each may use its full time. */
const endMsMax = 90_000;

/**
 * Stops the platform of a data directory like Ctrl-C, or what a killed start left of it, and waits
 * for its end. Exit codes: 0 if all ended or nothing ran, 1 if something does not end. Waits for a
 * concurrent `stop` or `reset` first, and names it.
 */
export async function stop(dataDir: string): Promise<number> {
  for (let isBeside = false; ; isBeside = true) {
    const holder = await readLock(lockOf(dataDir));
    if (holder?.work === 'start') {
      if (isBeside) say(`process ${holder.pid} has begun meanwhile; ending it`);
      return end(dataDir, holder);
    }
    if (holder) {
      say(`process ${holder.pid} runs trustcheck ${holder.work} here; waiting for it`);
      if (await hasLetGo(dataDir, holder)) continue;
      return complain(`process ${holder.pid} has not ended; end it, and stop once more`);
    }
    if (findProcesses(dataDir).length === 0) return say(isBeside ? 'stopped' : 'nothing runs here');
    const lock = await takeLock(lockOf(dataDir), 'stop');
    // Another process took the lock first; the next round names it.
    if ('pid' in lock) continue;
    try {
      await endLeft(dataDir);
      const still = findProcesses(dataDir);
      if (still.length === 0) return say('stopped what was left running');
      return complain(`still running: ${namesOf(still)}`);
    } finally {
      lock.release();
    }
  }
}

async function end(dataDir: string, holder: Holder): Promise<number> {
  if (!isCommand(holder.pid)) {
    return complain(`another program holds the lock of ${dataDir}; it names process ${holder.pid}`);
  }
  try {
    process.kill(holder.pid, 'SIGTERM');
  } catch (error) {
    if (Object(error).code !== 'ESRCH') {
      return complain(`process ${holder.pid} cannot be told to end: ${reasonOf(error)}`);
    }
  }
  if (await hasLetGo(dataDir, holder)) return say('stopped');
  return complain(`process ${holder.pid} has not ended; npm run stop once more ends it at once`);
}

/**
 * Returns true if a process is a trustcheck command. Any user of the machine can listen on the
 * address of a free lock and respond with the id of a process that must not be ended.
 */
function isCommand(pid: number): boolean {
  const { words = [] } = everyProcess().find((each) => each.pid === pid) ?? {};
  return words.some((word) => /(^|\/)(cli\/(trustcheck\.mjs|main\.ts)|trustcheck)$/.test(word));
}

/** Waits until a process has released the lock, which it does after its parts have ended. */
async function hasLetGo(dataDir: string, { pid, work }: Holder): Promise<boolean> {
  const isGone = async (): Promise<boolean> => {
    const now = await readLock(lockOf(dataDir));
    return now?.pid !== pid || now.work !== work;
  };
  return waitUntil(isGone, endMsMax).then(
    () => true,
    () => false,
  );
}

function say(line: string): number {
  process.stdout.write(`${line}\n`);
  return 0;
}

function complain(line: string): number {
  process.stderr.write(`${line}\n`);
  return 1;
}
