import { boxOf } from './box.ts';
import { readState, runningStart, type PlatformStatus } from './state.ts';

/** Prints the box again. 1 when nothing runs; the JSON form prints what is known either way. */
export async function status(dataDir: string, asJson: boolean): Promise<number> {
  const known = await readState<PlatformStatus>(dataDir, 'status');
  if (!known) {
    process.stderr.write('nothing has been started here; run: npm start\n');
    return 1;
  }
  process.stdout.write(asJson ? `${JSON.stringify(known, null, 2)}\n` : boxOf(known));
  if ((await runningStart(dataDir)) !== null) return 0;
  process.stderr.write('not running now; run: npm start\n');
  return 1;
}
