import { beginningOf } from '../../../cli/platform/identity.ts';
import { findProcesses, type PlatformProcess } from '../../../cli/platform/platform-processes.ts';
import { lockOf, readLock } from '../../../cli/platform/lock.ts';
import {
  npmStart,
  trustcheck,
  type Command,
  type ownProcesses,
} from '../../support/commands/run-command.ts';
import { eventually } from '../../support/platform/harness.ts';

const upMsMax = 90_000;

/** A running start command and its processes. */
export interface Begun {
  readonly command: Command;
  readonly pid: number;
  readonly parts: readonly PlatformProcess[];
}

/** Starts a platform in a directory without a check, and waits until all parts are up. */
export async function beginPlatform(
  dataDir: string,
  processes: ReturnType<typeof ownProcesses>,
  env: Readonly<Record<string, string>> = {},
  isByNpm = false,
): Promise<Begun> {
  const flags = ['--no-check'];
  const command = isByNpm
    ? npmStart(dataDir, flags, env)
    : trustcheck(dataDir, ['start', ...flags], env);
  processes.note(command.child.pid);
  const holder = await eventually(
    `${dataDir} is up`,
    async () => {
      if (command.child.exitCode !== null) throw new Error(JSON.stringify(command.output()));
      const found = await readLock(lockOf(dataDir));
      return found?.isReady && found;
    },
    upMsMax,
  );
  processes.note(holder.pid);
  const parts = findProcesses(dataDir);
  for (const { pid } of parts) processes.note(pid);
  return { command, pid: holder.pid, parts };
}

/** Starts a platform, and returns as soon as the named process runs. */
export async function beginUpTo(
  dataDir: string,
  processes: ReturnType<typeof ownProcesses>,
  name: string,
): Promise<Begun> {
  const command = trustcheck(dataDir, ['start']);
  const pid = processes.note(command.child.pid);
  const parts = await eventually(`a first ${name}`, async () => {
    const found = findProcesses(dataDir);
    return found.some((part) => part.name === name) && found;
  });
  for (const part of parts) processes.note(part.pid);
  return { command, pid, parts };
}

/** Returns the names of the started processes that still run. */
export const alive = ({ parts }: Pick<Begun, 'parts'>): string[] =>
  parts.filter(({ pid, beginning }) => beginningOf(pid) === beginning).map(({ name }) => name);
