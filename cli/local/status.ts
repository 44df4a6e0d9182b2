import { reasonOf } from '../command-line/reason.ts';
import { readState, type PlatformStatus } from '../data-directory/state.ts';
import { findProcesses, namesOf } from '../platform/platform-processes.ts';
import { lockOf, readLock } from '../platform/lock.ts';
import { boxOf } from './box.ts';
import { withoutSecrets } from './without-secrets.ts';

export interface StatusOptions {
  readonly json?: boolean;
  /** Also shows the API key, session tokens and passwords. */
  readonly secrets?: boolean;
}

/**
 * Prints the summary again, or JSON with the running state. Exit code 1 if the platform does not
 * run, even if parts of it still do. The data of the last run is printed in any case.
 */
export async function status(
  dataDir: string,
  { json = false, secrets = false }: StatusOptions = {},
): Promise<number> {
  const holder = await readLock(lockOf(dataDir));
  const isRunning = holder?.isReady ?? false;
  const left = holder ? [] : findProcesses(dataDir);
  const state = isRunning ? 'running' : left.length > 0 ? 'left' : 'ended';
  let known: PlatformStatus | null = null;
  let now = 'nothing has been started here; run: npm start';
  try {
    known = await readState(dataDir, 'status');
    if (known) now = 'not running now; run: npm start';
  } catch (error) {
    now = reasonOf(error);
  }
  if (holder && !isRunning) {
    now = `process ${holder.pid} runs trustcheck ${holder.work} here; ask again`;
  }
  const starting = holder?.work === 'start' && !isRunning ? { starting: true } : {};
  if (left.length > 0) {
    now = `what started it was killed; left running: ${namesOf(left)}; end it: npm run stop`;
  }
  const printed = known && (secrets ? known : withoutSecrets(known));
  if (json) {
    process.stdout.write(
      `${JSON.stringify({ running: isRunning, ...starting, ...printed }, null, 2)}\n`,
    );
  } else if (printed) process.stdout.write(boxOf(printed, state));
  if (isRunning && known) return 0;
  process.stderr.write(`${now}\n`);
  return 1;
}
