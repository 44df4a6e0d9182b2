import { beginningOf } from './platform/identity.ts';
import {
  endChildren,
  openLedger,
  readLedger,
  readLeft,
  type LedgerContent,
} from './platform/ledger.ts';
import { waitUntil } from './platform/processes.ts';
import { reasonOf } from './platform/reason.ts';
import { findLeft, namesOf } from './platform/strays.ts';
import { lockFile } from './state.ts';

/** Every group of processes may take its time, one after the other. */
const endMsMax = 90_000;

/**
 * Ends the platform of a data directory as Ctrl-C does, or what a killed start has left of it, and
 * waits until all of it is gone: 0 then, and where nothing ran; 1 when something does not end.
 */
export async function stop(dataDir: string): Promise<number> {
  const path = lockFile(dataDir);
  const ledger = readLedger(path);
  if (ledger) return end(path, ledger);
  const left = await findLeft(dataDir);
  if (left.length === 0) return say('nothing runs here');
  if (readLeft(path).length > 0) await (await openLedger(path)).close();
  await endChildren(left);
  const still = await findLeft(dataDir);
  if (still.length > 0) return complain(`still running: ${namesOf(still)}`);
  return say('stopped what was left running');
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
