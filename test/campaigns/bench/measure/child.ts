import { fork } from 'node:child_process';
import { once } from 'node:events';
import { stopProcess } from '../../../../cli/platform/processes.ts';

const readyMsMax = 60_000;
const answerMsMax = 300_000;

/** A program of the bench in a separate process, so that its CPU time is separate. */
export interface Child {
  readonly pid: number;
  /** The port that it listens on, or 0, as reported when it was ready. */
  readonly port: number;
  /** Sends one request to the program. The answer depends on the program. */
  ask<Answer>(request: unknown): Promise<Answer>;
  stop(): Promise<void>;
}

/**
 * Starts a program that communicates through `answerParent`. It ends with this process, because
 * their channel closes. `file` is a path below test/campaigns/bench; `flags` are flags of Node,
 * some of which are not allowed in NODE_OPTIONS.
 */
export async function startChild(
  file: string,
  settings: Readonly<Record<string, string>>,
  flags: readonly string[] = [],
): Promise<Child> {
  const path = new URL(`../${file}`, import.meta.url).pathname;
  const { PATH = '', HOME = '' } = process.env;
  const child = fork(path, [], {
    env: { PATH, HOME, ...settings },
    execArgv: ['--disable-warning=ExperimentalWarning', ...flags],
    stdio: ['ignore', 2, 2, 'ipc'],
    serialization: 'advanced',
  });
  const next = async (msMax: number): Promise<unknown> => {
    const gone = new AbortController();
    const onExit = (): void => gone.abort(new Error(`${file} has ended`));
    child.once('exit', onExit);
    try {
      const signal = AbortSignal.any([gone.signal, AbortSignal.timeout(msMax)]);
      const [message] = await once(child, 'message', { signal });
      return message;
    } finally {
      child.off('exit', onExit);
    }
  };
  try {
    const ready = (await next(readyMsMax)) as { port: number };
    return {
      pid: child.pid ?? 0,
      port: ready.port,
      async ask<Answer>(request: unknown) {
        child.send(request as object);
        return (await next(answerMsMax)) as Answer;
      },
      stop: () => stopProcess(child, 'SIGTERM'),
    };
  } catch (cause) {
    await stopProcess(child, 'SIGKILL');
    throw new Error(`${file} did not start`, { cause });
  }
}

/** Reports to the parent that the program is ready, and answers its requests one at a time. */
export function answerParent(port: number, answer: (request: never) => Promise<unknown>): void {
  process.on('message', (request) => {
    answer(request as never).then(
      (result) => process.send?.(result),
      (error: unknown) => {
        process.stderr.write(`${String(error)}\n`);
        process.exit(1);
      },
    );
  });
  // Exits normally, so that a CPU profile is written.
  process.once('SIGTERM', () => process.exit(0));
  process.once('disconnect', () => process.exit(0));
  process.send?.({ port });
}

/** Returns a setting from the parent. Throws when it is missing. */
export function setting(name: string): string {
  const value = process.env[name];
  if (value === undefined) throw new Error(`${name} is not set`);
  return value;
}
