import type { Command } from 'commander';
import { dataDirectory } from '../data-directory/data-directory.ts';

/** Adds the commands that start, show and stop the platform on this machine. */
export function addLocalCommands(program: Command): void {
  program
    .command('start')
    .description('start the whole platform and run one trust check')
    .option('--once', 'run the check, stop everything, exit 0 only when its affidavit verified')
    .option('--no-check', 'bring everything up and run nothing')
    .action(async (options: { once?: boolean; check: boolean }, command: Command) => {
      if (options.once && !options.check) {
        command.error('--once runs the check that --no-check leaves out: give one of them');
      }
      const { start } = await import('./start.ts');
      // Exits without waiting, because an interrupted step may still be waiting for something.
      process.exit(await start(dataDirectory(), options));
    });

  program
    .command('stop')
    .description(
      'end what runs in order, as Ctrl-C does, and wait: 0 once nothing runs, or where nothing did',
    )
    .action(async () => {
      const { stop } = await import('./stop.ts');
      process.exitCode = await stop(dataDirectory());
    });

  program
    .command('status')
    .description('print the addresses of the running platform: exit 1 when it does not run')
    .option('--json', 'as JSON')
    .option('--secrets', 'with API key, session tokens and passwords')
    .action(async (options: { json?: boolean; secrets?: boolean }) => {
      process.exitCode = await (await import('./status.ts')).status(dataDirectory(), options);
    });

  program
    .command('reset')
    .description('delete all state of the platform: its own files in .data')
    .action(async () => {
      const { reset } = await import('./reset.ts');
      process.exitCode = await reset(dataDirectory());
    });

  program
    .command('doctor')
    .description('check what the platform needs on this machine')
    .action(async () => {
      const { doctor } = await import('./doctor.ts');
      process.exitCode = await doctor(dataDirectory());
    });
}
