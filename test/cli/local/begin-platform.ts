import { lockFile } from '../../../cli/data-directory/state.ts';
import { beginningOf } from '../../../cli/platform/identity.ts';
import { readLedger, type LedgerContent } from '../../../cli/platform/ledger.ts';
import {
  npmStart,
  trustcheck,
  type Command,
  type ownProcesses,
} from '../../support/commands/run-command.ts';
import { eventually } from '../../support/platform/harness.ts';

const upMsMax = 90_000;

/** Starts over a directory, without a check, and waits until everything is up. */
export async function beginPlatform(
  dataDir: string,
  processes: ReturnType<typeof ownProcesses>,
  env: Readonly<Record<string, string>> = {},
  isByNpm = false,
): Promise<{ command: Command; ledger: LedgerContent }> {
  const flags = ['--no-check'];
  const command = isByNpm
    ? npmStart(dataDir, flags, env)
    : trustcheck(dataDir, ['start', ...flags], env);
  processes.note(command.child.pid);
  const ledger = await eventually(
    `${dataDir} is up`,
    async () => {
      if (command.child.exitCode !== null) throw new Error(JSON.stringify(command.output()));
      const found = readLedger(lockFile(dataDir));
      return found?.isReady && found;
    },
    upMsMax,
  );
  processes.note(ledger.owner.pid);
  for (const { pid } of ledger.children) processes.note(pid);
  return { command, ledger };
}

/** A start, as soon as the process of this name runs. */
export async function beginUpTo(
  dataDir: string,
  processes: ReturnType<typeof ownProcesses>,
  name: string,
): Promise<{ command: Command; ledger: LedgerContent }> {
  const command = trustcheck(dataDir, ['start']);
  processes.note(command.child.pid);
  const ledger = await eventually(`a first ${name}`, async () => {
    const found = readLedger(lockFile(dataDir));
    return found?.children.some((child) => child.name === name) && found;
  });
  for (const { pid } of ledger.children) processes.note(pid);
  return { command, ledger };
}

/** The names of those a start has begun which still run. */
export const alive = ({ children }: LedgerContent): string[] =>
  children.filter(({ pid, beginning }) => beginningOf(pid) === beginning).map(({ name }) => name);
