import { boxOf } from './box.ts';
import { readLedger } from './platform/ledger.ts';
import { reasonOf } from './platform/reason.ts';
import { lockFile, readState, type PlatformStatus } from './state.ts';

/**
 * Prints the box again, or JSON that says whether it runs. 1 when nothing runs; what is known of
 * the last run is printed either way.
 */
export async function status(dataDir: string, asJson: boolean): Promise<number> {
  const ledger = readLedger(lockFile(dataDir));
  const isRunning = ledger?.isReady ?? false;
  let known: PlatformStatus | null = null;
  let now = ledger
    ? `process ${ledger.owner.pid} is bringing it up; ask again`
    : 'nothing has been started here; run: npm start';
  try {
    known = await readState(dataDir, 'status');
    if (known && !ledger) now = 'not running now; run: npm start';
  } catch (error) {
    now = reasonOf(error);
  }
  if (asJson) {
    process.stdout.write(`${JSON.stringify({ running: isRunning, ...known }, null, 2)}\n`);
  } else if (known) process.stdout.write(boxOf(known, isRunning));
  if (isRunning && known) return 0;
  process.stderr.write(`${now}\n`);
  return 1;
}
