import { spawn, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';

/** The words of each command line by which a part of a platform is recognized. */
const words: Readonly<Record<string, (dataDir: string) => string[]>> = {
  api: (dataDir) => ['node', '/x/api/main.ts', dataDir],
  worker: (dataDir) => ['node', '/x/workers/main.ts', dataDir],
  temporal: (dataDir) => [
    'temporal',
    'server',
    'start-dev',
    '--db-filename',
    join(dataDir, 'temporal.db'),
  ],
  postgres: (dataDir) => ['/x/bin/postgres', `--trustcheck.directory=${join(dataDir, 'postgres')}`],
};

/** Spawns a process with the command line of a part. It prints a line when it handles signals. */
export function likePart(name: string, dataDir: string): ChildProcess {
  const [argv0 = '', ...flags] = words[name]?.(dataDir) ?? [];
  const script = 'trap "exit 0" TERM INT; echo ready; while :; do sleep 0.02; done';
  const stdio = ['ignore', 'pipe', 'ignore'] as const;
  return spawn('bash', ['-c', script, ...flags], { argv0, stdio: [...stdio], detached: true });
}
