import type { Command } from 'commander';
import { dataDirectory } from '../data-directory/data-directory.ts';

/** Adds the commands that print and rewrap the platform's keys. */
export function addKeyCommands(program: Command): void {
  const keys = program
    .command('keys')
    .description('the platform’s keys; admin keys replaces and revokes them');
  keys
    .command('root')
    .description('print the trust anchor as PEM')
    .action(async () => {
      const { printRoot } = await import('../data-directory/keys.ts');
      process.exitCode = printRoot(dataDirectory());
    });

  keys
    .command('log')
    .description('print the key of the public log, by which its checkpoints are verified')
    .action(async () => {
      const { printLogKey } = await import('./log-key.ts');
      process.exitCode = await printLogKey(dataDirectory());
    });

  keys
    .command('rewrap')
    .description('wrap all data keys under MASTER_KEY: exit 0 when all are')
    .action(async () => {
      const { rewrapKeys } = await import('./rewrap-keys.ts');
      process.exitCode = await rewrapKeys(dataDirectory());
    });
}
