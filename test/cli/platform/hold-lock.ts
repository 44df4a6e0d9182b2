// Takes the lock at a path, starts a process of its own, says so, and stays until it is killed.
import { AlreadyRunning, openLedger } from '../../../cli/platform/ledger.ts';
import { launch } from '../../../cli/platform/processes.ts';

const [path = ''] = process.argv.slice(2);
try {
  const ledger = await openLedger(path);
  const child = launch({
    name: 'sleeper',
    program: 'sleep',
    flags: ['600'],
    logFile: `${path}.log`,
    onSpawn: ledger.add,
  });
  process.stdout.write(`held ${child.pid}\n`);
  setInterval(() => undefined, 60_000);
} catch (error) {
  if (!(error instanceof AlreadyRunning)) throw error;
  process.stdout.write(`refused ${error.pid}\n`);
}
