import { environment } from '../environment.ts';
import { beginningOf, commandOf, parentOf } from './identity.ts';

interface Started {
  readonly pid: number;
  readonly beginning: string;
}

const lookMs = 500;
const shell = /^(\S*\/)?(sh|dash|bash|zsh|ksh)\s/;
/** trustcheck.mjs on a Node that is too old. */
const launcher = /^(\S*\/)?node\b.*\/trustcheck(\.mjs)?(\s|$)/;

/**
 * Calls once when npm, the shell it runs its script with, or our launcher is gone: what ends them
 * at once does not reach what they have started. Does nothing when none of them has started this;
 * gives what ends it.
 */
export function watchStarter(onGone: () => void, env = environment()): () => void {
  const isOfNpm = env['npm_lifecycle_script']?.includes('trustcheck') ?? false;
  const isLaunched = launcher.test(commandOf(process.ppid) ?? '');
  const starters = isOfNpm ? startersOf() : isLaunched ? [process.ppid].flatMap(named) : [];
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
function startersOf(): Started[] {
  const found: Started[] = [];
  let pid: number | null = process.ppid;
  while (pid !== null) {
    const [started] = named(pid);
    if (!started) break;
    found.push(started);
    const command: string = commandOf(pid) ?? '';
    pid = shell.test(command) || launcher.test(command) ? parentOf(pid) : null;
  }
  return found;
}

function named(pid: number): Started[] {
  const beginning = pid === 1 ? null : beginningOf(pid);
  return beginning === null ? [] : [{ pid, beginning }];
}
