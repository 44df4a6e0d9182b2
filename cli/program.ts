import { Command, CommanderError } from 'commander';
import manifest from '../package.json' with { type: 'json' };
import { addAdminCommands } from './admin/commands.ts';
import { commandNamedBy, understood } from './command-line/command-named-by.ts';
import { printable } from './command-line/printable.ts';
import { dataDirectory } from './data-directory/data-directory.ts';
import { addEvidenceCommands } from './evidence/commands.ts';
import { addKeyChangeCommands } from './keys/change-commands.ts';
import { addKeyCommands } from './keys/commands.ts';
import { addLocalCommands } from './local/commands.ts';
import { addPhoneCommands } from './phone/commands.ts';
import { reasonOf } from './command-line/reason.ts';
import { addTemporalCommands, addWorkerCommands } from './temporal/commands.ts';
import { addVerifyCommands } from './verify/commands.ts';
import { addLogCommands } from './verify/log-commands.ts';

/**
 * Runs the command that the words name. It writes to stdout and stderr and sets `process.exitCode`:
 * 2 for a usage error, 1 for a failure. For `verify` 2 is a verdict, so a usage error is 1 there.
 */
export async function runCommand(words: readonly string[]): Promise<void> {
  const program = createProgram();
  try {
    await program.parseAsync(understood(program, words), { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) {
      process.stderr.write(`${reasonOf(error).split('\n').map(printable).join('\n')}\n`);
      process.exitCode = 1;
      return;
    }
    const usageCode = words[0] === 'verify' ? 1 : 2;
    process.exitCode = error.exitCode === 0 ? 0 : usageCode;
    if (!isAnswer(error)) process.stderr.write(`${faultOf(error, program, words)}\n`);
  }
}

function createProgram(): Command {
  const program = new Command('trustcheck')
    .description('Self-hosted identity verification')
    .version(manifest.version, '--version', 'print the version')
    // An error is one line, written where it is caught.
    .configureOutput({ outputError: () => undefined })
    .exitOverride();
  addLocalCommands(program);
  addVerifyCommands(program);
  addEvidenceCommands(program);
  addKeyCommands(program);
  addLogCommands(program);
  addTemporalCommands(program);
  addKeyChangeCommands(addAdminCommands(program), dataDirectory);
  addWorkerCommands(program);
  addPhoneCommands(program);
  return program;
}

/** Returns true if commander has already printed help or version. */
function isAnswer({ code }: CommanderError): boolean {
  return code === 'commander.version' || code.startsWith('commander.help');
}

/** Returns one line: the error, the nearest known name, and the command that prints the help. */
function faultOf({ message }: CommanderError, program: Command, words: readonly string[]): string {
  const fault = message.replace(/^error: /, '').replace(/\n\(D(.*)\)$/, '; d$1');
  const called = commandNamedBy(program, words).names.join(' ');
  return `${printable(fault.replace(/[.?]?$/, ''))}; see: npx ${called} --help`;
}
