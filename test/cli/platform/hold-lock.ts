// Takes a lock, prints the result, and runs until killed; SIGUSR2 switches it to other work.
import { takeLock } from '../../../cli/platform/lock.ts';

const [name = '', first = 'start', next = 'start'] = process.argv.slice(2);
const lock = await takeLock(name, first);
if ('pid' in lock) process.stdout.write(`refused ${lock.pid}\n`);
else {
  process.on('SIGUSR2', () => {
    lock.release();
    void takeLock(name, next);
  });
  process.stdout.write('held\n');
  setInterval(() => undefined, 60_000);
}
