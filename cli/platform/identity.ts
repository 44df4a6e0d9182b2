import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

/**
 * When a process began, in the system's own words, or null when it is gone. Together with its id it
 * names one process: an id alone is given again to another program, after a reboot soon.
 */
export function beginningOf(pid: number): string | null {
  if (!Number.isSafeInteger(pid) || pid <= 0) return null;
  if (process.platform !== 'linux') return ask(pid, 'lstart=');
  // proc(5): state is field 3, starttime field 22.
  const fields = statOf(pid);
  const isGone = fields?.[0] === 'Z' || fields?.[0] === 'X';
  return isGone || !fields?.[19] ? null : `${bootId()}:${fields[19]}`;
}

/** The process that started a process, or null when it is gone or not to be seen. */
export function parentOf(pid: number): number | null {
  if (!Number.isSafeInteger(pid) || pid <= 0) return null;
  if (process.platform !== 'linux') return Number(ask(pid, 'ppid=')) || null;
  // proc(5): ppid is field 4.
  return Number(statOf(pid)?.[1]) || null;
}

/** The command line of a process, or null when it is gone or not to be seen. */
export function commandOf(pid: number): string | null {
  if (!Number.isSafeInteger(pid) || pid <= 0) return null;
  if (process.platform !== 'linux') return ask(pid, 'command=');
  return cmdlineOf(pid)?.replaceAll('\0', ' ').trim() ?? null;
}

/** Every process that is to be seen, with the words it was started by. */
export function everyProcess(): { pid: number; words: readonly string[] }[] {
  if (process.platform === 'linux') {
    const pids = readdirSync('/proc').map(Number).filter(Number.isSafeInteger);
    return pids.map((pid) => ({ pid, words: (cmdlineOf(pid) ?? '').split('\0') }));
  }
  const said = ps(['-axww', '-o', 'pid=,command=']) ?? '';
  return said.split('\n').map((line) => {
    const [pid, ...words] = line.trim().split(' ');
    return { pid: Number(pid), words };
  });
}

function cmdlineOf(pid: number): string | null {
  try {
    // The last word too ends with a zero.
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replace(/\0$/, '');
  } catch {
    return null;
  }
}

/** The fields of proc(5) from the third on: the second, a name in brackets, may hold spaces. */
function statOf(pid: number): string[] | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  } catch {
    return null;
  }
}

/** starttime counts from the boot: without naming the boot it would come true again. */
function bootId(): string {
  return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
}

function ask(pid: number, column: string): string | null {
  return ps(['-p', String(pid), '-o', column]);
}

function ps(flags: readonly string[]): string | null {
  try {
    const said = execFileSync('ps', flags, {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    return said.trim() || null;
  } catch {
    return null;
  }
}
