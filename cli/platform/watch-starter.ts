import { environment } from '../environment.ts';
import { beginningOf, commandOf, parentOf } from './identity.ts';

type Environment = ReturnType<typeof environment>;

interface Started {
  readonly pid: number;
  readonly beginning: string;
}

const lookMs = 500;
const shell = /^(\S*\/)?(sh|dash|bash|zsh|ksh)\s/;
const packageManager = /(^|[/\s])(npm|npx|pnpm|yarn|bun|corepack|node)\b/;

/**
 * Calls once when npm, the shell it runs its script with, or our launcher (trustcheck.mjs on a Node
 * that is too old) is gone: what ends them at once does not reach what they have started. What was
 * gone before is told at once. Does nothing when none of them has started this; gives what ends it.
 */
export function watchStarter(onGone: () => void, env: Environment = environment()): () => void {
  const isOfNpm = env['npm_lifecycle_script']?.includes('trustcheck') ?? false;
  const launcher = Number(env['TRUSTCHECK_LAUNCHER']) || null;
  const above = isOfNpm ? aboveUs(launcher) : launcher === null ? [] : [launcher];
  const starters = above.flatMap(named);
  const isLauncherGone = launcher !== null && process.ppid !== launcher;
  if (isLauncherGone || (isOfNpm && isNpmGone(above, launcher, env))) {
    onGone();
    return () => undefined;
  }
  if (starters.length === 0) return () => undefined;
  const timer = setInterval(() => {
    if (starters.every(({ pid, beginning }) => beginningOf(pid) === beginning)) return;
    clearInterval(timer);
    onGone();
  }, lookMs);
  timer.unref();
  return () => clearInterval(timer);
}

/**
 * Whether npm had ended before it could be watched: there is another parent than at the first
 * moment, or was none of its kind even then.
 */
function isNpmGone(above: readonly number[], launcher: number | null, env: Environment): boolean {
  const first = Number(env['TRUSTCHECK_STARTER']) || null;
  const now = launcher === null ? process.ppid : parentOf(launcher);
  if (first !== null && now !== null && now !== first) return true;
  // In a container npm may be the first process itself.
  return above.at(-1) === 1 && !packageManager.test(commandOf(1) ?? 'npm');
}

/** What started this, from below: our launcher and the shell where there are such, and npm. */
function aboveUs(launcher: number | null): number[] {
  const found: number[] = [];
  let pid: number | null = process.ppid;
  while (pid !== null) {
    found.push(pid);
    const isBetween: boolean = pid === launcher || (pid !== 1 && shell.test(commandOf(pid) ?? ''));
    pid = isBetween ? parentOf(pid) : null;
  }
  return found;
}

/** The first process never ends before us. */
function named(pid: number): Started[] {
  const beginning = pid === 1 ? null : beginningOf(pid);
  return beginning === null ? [] : [{ pid, beginning }];
}
