import { boxOf } from './box.ts';
import { readLedger } from './platform/ledger.ts';
import { lockFile, readState } from './state.ts';

/** Prints the box again. 1 when nothing runs; what is known of the last run is printed either way. */
export async function status(dataDir: string, asJson: boolean): Promise<number> {
  const ledger = readLedger(lockFile(dataDir));
  const isRunning = ledger?.isReady ?? false;
  const known = await readState(dataDir, 'status');
  if (known) {
    process.stdout.write(asJson ? `${JSON.stringify(known, null, 2)}\n` : boxOf(known, isRunning));
  }
  if (isRunning) return 0;
  const now = ledger
    ? `process ${ledger.owner.pid} is bringing it up; ask again`
    : `${known ? 'not running now' : 'nothing has been started here'}; run: npm start`;
  process.stderr.write(`${now}\n`);
  return 1;
}
