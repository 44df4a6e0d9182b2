import { environment } from '../environment.ts';
import { beginningOf, commandOf, parentOf } from './identity.ts';

const lookMs = 500;
const shell = /^(\S*\/)?(sh|dash|bash|zsh|ksh)\s/;

/**
 * Calls once when npm, or the shell it runs its script with, is gone: a signal to npm does not
 * reach what its shell has started. Does nothing when npm has not started this; gives what ends it.
 */
export function watchStarter(onGone: () => void, env = environment()): () => void {
  const isOfNpm = env['npm_lifecycle_script']?.includes('trustcheck') ?? false;
  const starters = isOfNpm ? startersOf() : [];
  if (starters.length === 0) return () => undefined;
  const timer = setInterval(() => {
    if (starters.every(({ pid, beginning }) => beginningOf(pid) === beginning)) return;
    clearInterval(timer);
    onGone();
  }, lookMs);
  timer.unref();
  return () => clearInterval(timer);
}

/** The process that handed over to us, and what started it: npm, or a shell and npm above it. */
function startersOf(): { pid: number; beginning: string }[] {
  const above = parentOf(process.ppid);
  const isShell = above !== null && shell.test(commandOf(above) ?? '');
  const pids = [process.ppid, above, isShell ? parentOf(above) : null];
  return pids.flatMap((pid) => {
    const beginning = pid === null || pid === 1 ? null : beginningOf(pid);
    return pid === null || beginning === null ? [] : [{ pid, beginning }];
  });
}
