import type { Command } from 'commander';
import { dataDirectory } from '../data-directory/data-directory.ts';
import type { ConsistencyOptions } from './log-consistency.ts';

/** Adds the commands about a public log. */
export function addLogCommands(program: Command): void {
  const log = program.command('log').description('the public log of affidavits');
  log
    .command('consistency')
    .description('verify that one checkpoint extends another: exit 0 yes, 2 no, 1 no verdict')
    .requiredOption('--from <file>', 'the earlier checkpoint')
    .requiredOption('--to <file>', 'the later one')
    .requiredOption('--tiles <place>', 'the tiles of the later: https://HOST/log, or a folder')
    .option('--log-key <key>', 'the log that is believed, as keys log prints it')
    .action(async (options: ConsistencyOptions) => {
      const { judgeConsistency } = await import('./log-consistency.ts');
      process.exitCode = await judgeConsistency(options, dataDirectory());
    });
}
