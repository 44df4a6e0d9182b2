import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

const isLinux = process.platform === 'linux';

/**
 * Returns the start time of a process; null if it is gone. PIDs are reused; (pid, start time) is
 * unique.
 */
export function beginningOf(pid: number): string | null {
  if (!(pid > 0)) return null;
  if (!isLinux) return ps(['-p', String(pid), '-o', 'lstart=']) || null;
  // proc(5): state is field 3, starttime field 22.
  const [state = '', , ...fields] = statOf(pid);
  return ['', 'Z', 'X'].includes(state) ? null : (fields[17] ?? null);
}

/** Returns the parent of a process. */
export function parentOf(pid: number): number {
  // proc(5): ppid is field 4.
  return Number(isLinux ? statOf(pid)[1] : ps(['-p', String(pid), '-o', 'ppid=']));
}

/** Returns the fields of proc(5) from the third on. The second is a name in parentheses. */
function statOf(pid: number): string[] {
  const stat = read(`/proc/${pid}/stat`);
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
}

export interface Process {
  readonly pid: number;
  /** Command line arguments. */
  readonly words: readonly string[];
}

/** Returns every process of this machine. */
export function everyProcess(): Process[] {
  if (isLinux) {
    const pids = readdirSync('/proc').map(Number).filter(Number.isSafeInteger);
    const wordsOf = (pid: number) => read(`/proc/${pid}/cmdline`).replace(/\0$/, '').split('\0');
    return pids.map((pid) => ({ pid, words: wordsOf(pid) }));
  }
  const lines = ps(['-axww', '-o', 'pid=,command=']).split('\n');
  return lines.map((line) => {
    const [pid, ...words] = line.trim().split(' ');
    return { pid: Number(pid), words };
  });
}

/** Returns the content of a file of proc(5); empty if its process is gone. */
function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

function ps(flags: readonly string[]): string {
  try {
    return execFileSync('ps', flags, {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();
  } catch {
    return '';
  }
}
