import { within } from '../../../activities/vendors/provider.ts';
import { runCommand } from '../../../cli/program.ts';
import { environmentOf } from './run-command.ts';

export interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

const commandMsMax = 80_000;
let turn: Promise<unknown> = Promise.resolve();

/**
 * Runs `trustcheck` in this process and captures its output. Concurrent commands run one after the
 * other. A separate process would spend a second of CPU on loading modules that are loaded here. Do
 * not use it for `start`, which exits its process, or for tests of pipes and signals.
 */
export function commandHere(
  dataDir: string,
  words: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Ended> {
  const ended = turn.then(() => capture(words, environmentOf(dataDir, env)));
  turn = ended.catch(() => undefined);
  return ended;
}

async function capture(
  words: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<Ended> {
  const before = { env: process.env, exitCode: process.exitCode };
  const [out, err]: [string[], string[]] = [[], []];
  const restore = [record(process.stdout, out), record(process.stderr, err)];
  process.env = { ...env };
  process.exitCode = undefined;
  try {
    // A command that hangs must not block the environment and the output of this process.
    await within(commandMsMax, runCommand(words));
    return { code: exitCode(), stdout: out.join(''), stderr: err.join('') };
  } finally {
    process.env = before.env;
    process.exitCode = before.exitCode;
    for (const each of restore) each();
  }
}

const exitCode = (): number => Number(process.exitCode ?? 0);

/** Redirects writes to a stream of the process to a list. Returns a function that restores it. */
function record(stream: NodeJS.WriteStream, list: string[]): () => void {
  const { write } = stream;
  stream.write = (part: string | Uint8Array, ...more: unknown[]): boolean => {
    list.push(typeof part === 'string' ? part : Buffer.from(part).toString());
    const done = more.at(-1);
    if (typeof done === 'function') done();
    return true;
  };
  return () => {
    stream.write = write;
  };
}
