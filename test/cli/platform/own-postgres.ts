import { spawn, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import pg from 'pg';
import {
  startPostgres,
  type PostgresOptions,
  type RunningPostgres,
} from '../../../cli/platform/postgres.ts';
import { ownDirectory, ownProcesses } from '../../support/commands/run-command.ts';
import { eventually } from '../../support/platform/harness.ts';

export interface Starter {
  readonly child: ChildProcess;
  /** Process id of the server. */
  readonly pid: number;
  readonly url: string;
}

const starter = new URL('run-postgres.ts', import.meta.url).pathname;

/** Starts servers in the directory of one test file, and removes everything afterwards. */
export async function ownServers() {
  const { path, remove } = await ownDirectory();
  const processes = ownProcesses();
  return {
    path,
    note: processes.note,
    async start(name: string, more: Partial<PostgresOptions> = {}): Promise<RunningPostgres> {
      const dataDir = join(path, name);
      const options = { dataDir, logFile: `${dataDir}.log`, isThrowaway: true, ...more };
      const server = await startPostgres(options);
      processes.note(server.pid);
      return server;
    },
    /** Starts a server from a separate process, as this or another user. */
    async startApart(dataDir: string, uid?: number): Promise<Starter> {
      const who = ['--reuid', `${uid}`, '--regid', `${uid}`, '--clear-groups', process.execPath];
      const [program = '', ...first] = uid === undefined ? [process.execPath] : ['setpriv', ...who];
      const child = spawn(program, [...first, starter, dataDir], {
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      processes.note(child.pid);
      let [said, fault] = ['', ''];
      child.stdout.on('data', (part: Buffer) => (said += part.toString()));
      child.stderr.on('data', (part: Buffer) => (fault += part.toString()));
      await eventually('a word of the starter', async () => {
        if (child.exitCode !== null) throw new Error(fault);
        return said.includes('\n');
      });
      const { pid, url } = JSON.parse(said) as { pid: number; url: string };
      processes.note(pid);
      return { child, pid, url };
    },
    async remove(): Promise<void> {
      processes.end();
      await remove();
    },
  };
}

export async function query<Row extends object>(url: string, sql: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Row>(sql)).rows;
  } finally {
    await client.end();
  }
}

/** Creates a table that `marks` reads back. */
export const mark = (url: string) => query(url, 'CREATE TABLE marks AS SELECT 7 AS mark');
export const marks = (url: string) => query<{ mark: number }>(url, 'SELECT mark FROM marks');

/** Sends a signal to a process and waits until it has ended. */
export async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  const gone = new Promise((resolve) => child.once('exit', resolve));
  child.kill(signal);
  await gone;
}
