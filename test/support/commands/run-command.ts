import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beginningOf } from '../../../cli/platform/identity.ts';

export interface Command {
  readonly child: ChildProcess;
  /** Returns the output so far. */
  output(): { stdout: string; stderr: string };
  readonly ended: Promise<{ code: number | null; stdout: string; stderr: string }>;
}

const root = new URL('../../..', import.meta.url).pathname;
const entry = new URL('../../../cli/trustcheck.mjs', import.meta.url).pathname;
/** Ports that a test overrides, so that it never listens where another process may. */
const ports = ['PORT', 'METRICS_PORT', 'WORKER_PORT', 'POSTGRES_PORT', 'TEMPORAL_PORT'];
const given = /^(PROFILE|BASE_URL|DATA_DIR|\w*DATABASE_\w*URL|TEMPORAL_.*|S3_.*|OTEL_.*|npm_.*)$/;

/** Runs `trustcheck` as a person does, with its state in a directory, on free ports. */
export function trustcheck(
  dataDir: string,
  flags: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Command {
  return run(process.execPath, [entry, ...flags], dataDir, env);
}

/** Runs `trustcheck start` through npm. */
export function npmStart(
  dataDir: string,
  flags: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Command {
  return run('npm', ['start', '--', ...flags], dataDir, env);
}

function run(
  program: string,
  words: readonly string[],
  dataDir: string,
  env: Readonly<Record<string, string>>,
): Command {
  const child = spawn(program, [...words], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: environmentOf(dataDir, env),
  });
  const said = { stdout: '', stderr: '' };
  for (const stream of ['stdout', 'stderr'] as const) {
    child[stream].on('data', (part: Buffer) => {
      said[stream] += part.toString();
    });
  }
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  return { child, output: () => said, ended: ended.then((code) => ({ code, ...said })) };
}

/**
 * Returns the environment of a command: this one with these variables, without variables that name
 * a platform.
 */
export function environmentOf(
  dataDir: string,
  env: Readonly<Record<string, string>>,
): Record<string, string> {
  const own = Object.entries(process.env).filter(([name]) => !given.test(name));
  return {
    ...Object.fromEntries(own),
    ...Object.fromEntries([...ports, 'TEMPORAL_UI_PORT'].map((name) => [name, '0'])),
    DATA_DIR: dataDir,
    ...env,
  };
}

/**
 * Creates a directory for one test that the server's user can traverse. Returns it with a function
 * that removes it.
 */
export async function ownDirectory(): Promise<{ path: string; remove: () => Promise<void> }> {
  const path = await mkdtemp(join(tmpdir(), 'trustcheck-cli-'));
  return { path, remove: () => rm(path, { recursive: true, force: true }) };
}

/** Tracks the processes that a test starts, and kills those that are still running. */
export function ownProcesses() {
  const begun: { pid: number; beginning: string | null }[] = [];
  return {
    note(pid = 0): number {
      begun.push({ pid, beginning: beginningOf(pid) });
      return pid;
    },
    end(): void {
      for (const { pid, beginning } of begun.splice(0)) {
        if (beginning !== null && beginningOf(pid) === beginning) process.kill(pid, 'SIGKILL');
      }
    },
  };
}
