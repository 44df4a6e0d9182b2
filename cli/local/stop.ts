import { existsSync } from 'node:fs';
import { lockFile } from '../data-directory/state.ts';
import { beginningOf } from '../platform/identity.ts';
import {
  AlreadyRunning,
  endChildren,
  openLedger,
  readLedger,
  readLeft,
  workWords,
  type LedgerContent,
} from '../platform/ledger.ts';
import { waitUntil } from '../platform/processes.ts';
import { reasonOf } from '../platform/reason.ts';
import { findLeft, namesOf } from '../platform/strays.ts';

/** Every group of processes may take its time, one after the other. */
const endMsMax = 90_000;

/**
 * Ends the platform of a data directory as Ctrl-C does, or what a killed start has left of it, and
 * waits until all of it is gone: 0 then, and where nothing ran; 1 when something does not end.
 * Whoever else is at it, another `stop` or a `start` that takes over what was left, is named; what
 * became of it decides.
 */
export async function stop(dataDir: string): Promise<number> {
  const path = lockFile(dataDir);
  let isBeside = false;
  for (;;) {
    const ledger = readLedger(path);
    if (ledger?.work === 'start') {
      if (isBeside) say(`process ${ledger.owner.pid} has begun meanwhile; ending it`);
      return end(path, ledger);
    }
    if (ledger) {
      say(`process ${ledger.owner.pid} ${workWords(ledger)}; waiting for it`);
      if (!(await hasLetGo(path, ledger))) {
        return complain(`process ${ledger.owner.pid} has not ended; end it, and stop once more`);
      }
      isBeside = true;
      continue;
    }
    const left = await findLeft(dataDir);
    if (left.length === 0) return say(isBeside ? 'stopped' : 'nothing runs here');
    const still = await endLeft(dataDir, left);
    if (still?.length === 0) return say('stopped what was left running');
    if (still) return complain(`still running: ${namesOf(still)}`);
    // Somebody was quicker: who it is, and what is to be done, is told from the lock again.
    isBeside = true;
  }
}

type Left = LedgerContent['children'];

/**
 * Ends what a killed start has left, holding the lock, so that nothing of a start that has begun
 * since is taken for it. Gives what still runs, or null where somebody else holds the lock.
 */
async function endLeft(dataDir: string, left: Left): Promise<Left | null> {
  // In a directory that is gone nobody holds anything.
  if (!existsSync(dataDir)) {
    await endChildren(left);
    return findLeft(dataDir);
  }
  const ledger = await openLedger(lockFile(dataDir), 'stop').catch((error: unknown) => {
    if (error instanceof AlreadyRunning) return null;
    throw error;
  });
  if (!ledger) return null;
  try {
    await endChildren(await findLeft(dataDir));
    return await findLeft(dataDir);
  } finally {
    await ledger.close();
  }
}

async function hasLetGo(path: string, { owner }: LedgerContent): Promise<boolean> {
  const isGone = async (): Promise<boolean> => {
    const now = readLedger(path)?.owner;
    return now?.pid !== owner.pid || now.beginning !== owner.beginning;
  };
  return waitUntil(isGone, endMsMax).then(
    () => true,
    () => false,
  );
}

async function end(path: string, { owner }: LedgerContent): Promise<number> {
  try {
    process.kill(owner.pid, 'SIGTERM');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') {
      return complain(`process ${owner.pid} cannot be told to end: ${reasonOf(error)}`);
    }
  }
  const isGone = async (): Promise<boolean> =>
    beginningOf(owner.pid) !== owner.beginning && readLeft(path).length === 0;
  try {
    await waitUntil(isGone, endMsMax);
  } catch {
    return complain(`process ${owner.pid} has not ended; npm run stop once more ends it at once`);
  }
  return say('stopped');
}

function say(line: string): number {
  process.stdout.write(`${line}\n`);
  return 0;
}

function complain(line: string): number {
  process.stderr.write(`${line}\n`);
  return 1;
}
