import { environment } from '../environment.ts';
import { beginningOf, commandOf, parentOf } from './identity.ts';

const lookMs = 500;
/** A shell, or trustcheck.mjs on a Node that is too old. */
const between = /^(\S*\/)?((sh|dash|bash|zsh|ksh)\s|node \S*\/trustcheck(\.mjs)?\s)/;

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

/** What started this: npm, and what of its shell and our launcher lies between. */
function startersOf(): { pid: number; beginning: string }[] {
  const found: { pid: number; beginning: string }[] = [];
  let pid: number | null = process.ppid;
  while (pid !== null && pid !== 1) {
    const beginning = beginningOf(pid);
    if (beginning === null) break;
    found.push({ pid, beginning });
    pid = between.test(commandOf(pid) ?? '') ? parentOf(pid) : null;
  }
  return found;
}
