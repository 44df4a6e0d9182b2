import { readFileSync } from 'node:fs';

/** USER_HZ, which is 100 on every Linux that Node runs on. */
const ticksPerSecond = 100;

/** Returns user and system time of a process in milliseconds (proc(5), stat: utime, stime). */
export function cpuMsOf(pid: number): number {
  return cpuMsIn(readFileSync(`/proc/${pid}/stat`, 'utf8'));
}

/** Parses the stat file: the name in parentheses may contain blanks and parentheses. */
export function cpuMsIn(stat: string): number {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [utime, stime] = [fields[11], fields[12]];
  if (utime === undefined || stime === undefined) throw new Error('this is no stat of a process');
  return ((Number(utime) + Number(stime)) / ticksPerSecond) * 1000;
}

/** Returns the resident memory of a process in bytes (proc(5), status: VmRSS in KiB). */
export function residentBytesOf(pid: number): number {
  const [, kib] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  if (kib === undefined) throw new Error('this is no status of a process');
  return Number(kib) * 1024;
}
