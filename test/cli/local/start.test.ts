import { execFile } from 'node:child_process';
import { chmodSync, existsSync, readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { developmentUrls } from '../../../cli/data-directory/database-urls.ts';
import type { PlatformStatus, Ports } from '../../../cli/data-directory/state.ts';
import { beginningOf } from '../../../cli/platform/identity.ts';
import { findProcesses, type PlatformProcess } from '../../../cli/platform/platform-processes.ts';
import { lockOf, readLock } from '../../../cli/platform/lock.ts';
import { isHealthy } from '../../../cli/platform/processes.ts';
import * as programs from '../../support/commands/run-command.ts';
import { createDatabase, eventually } from '../../support/platform/harness.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';
import { alive, beginPlatform, beginUpTo } from './begin-platform.ts';

const processes = programs.ownProcesses();
let directory = { path: '', remove: async (): Promise<void> => undefined };
const place = (name: string): string => join(directory.path, name);
const upMsMax = 90_000;

beforeAll(async () => {
  directory = await programs.ownDirectory();
  chmodSync(directory.path, 0o755);
});
afterAll(async () => {
  processes.end();
  await directory.remove();
});

/** Starts a platform in a directory, and waits until all parts are up. */
const start = (name: string, env: Readonly<Record<string, string>> = {}, isByNpm = false) =>
  beginPlatform(place(name), processes, env, isByNpm);

const run = (name: string, ...flags: string[]) => programs.trustcheck(place(name), flags).ended;

async function status(name: string): Promise<PlatformStatus> {
  const { code, stdout } = await run(name, 'status', '--secrets', '--json');
  expect(code).toBe(0);
  return JSON.parse(stdout) as PlatformStatus;
}

const pidOf = (parts: readonly PlatformProcess[], name: string): number =>
  parts.find((part) => part.name === name)?.pid ?? 0;
const holderOf = (name: string) => readLock(lockOf(place(name)));

function shell(line: string): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile('bash', ['-c', line], (error, stdout) => (error ? reject(error) : resolve(stdout)));
  });
}

/** Replaces each value of a JSON value by its type. */
const shapeOf = (value: unknown): unknown =>
  typeof value === 'object' && value !== null
    ? Object.fromEntries(Object.entries(value).map(([key, part]) => [key, shapeOf(part)]))
    : typeof value;

const person = { poly_user_id: 'string', email: 'string', session_token: 'string' };

describe('npm start', () => {
  it('runs once per folder, in two folders side by side, and ends cleanly', async () => {
    const taken = createServer();
    await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
    const address = taken.address();
    const PORT = typeof address === 'object' && address ? String(address.port) : '';
    const [one, two] = await Promise.all([start('one', { PORT }), start('two', { PORT }, true)]);
    const names = ['api', 'postgres', 'temporal', 'worker'];
    expect(alive(one).sort()).toEqual(names);
    expect(alive(two).sort()).toEqual(names);

    const found = await status('one');
    expect(shapeOf(found)).toEqual({
      running: 'boolean',
      base_url: 'string',
      temporal_address: 'string',
      temporal_namespace: 'string',
      temporal_ui: 'string',
      database_url: 'string',
      outbox_url: 'string',
      try_link_url: 'string',
      codec_operator_token: 'string',
      account_id: 'number',
      app_id: 'string',
      api_key: 'string',
      admin: person,
      member: person,
      subject: person,
      last_check: 'object',
    });
    expect(found).toMatchObject({ running: true, last_check: null });
    expect(new URL(found.base_url).port).not.toBe(PORT);
    const other = await status('two');
    for (const key of ['base_url', 'temporal_address', 'database_url'] as const) {
      expect(found[key]).not.toBe(other[key]);
    }
    expect(await isHealthy(`${found.base_url}/readyz`)).toBe(true);
    const opened = await fetch(`${found.base_url}/codec/decode`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-operator-token': found.codec_operator_token,
      },
      body: '{"payloads":[]}',
    });
    expect(await opened.json()).toEqual({ payloads: [] });

    const { stdout: box, stderr } = one.command.output();
    expect(stderr).toBe('');
    const { port } = new URL(found.base_url);
    expect(box).toContain(
      `\nother ports than usual: API at ${port} (${PORT} is taken); back: PORT=${PORT} npm start\n`,
    );
    expect((await run('one', 'status')).stdout).toBe(box.slice(box.indexOf('\ntrustcheck is')));
    for (const shown of [found.temporal_ui, found.outbox_url]) expect(box).toContain(shown);
    expect(box).not.toContain(found.api_key);
    const lines = box.split('\n').filter((line) => line.trim().startsWith('curl '));
    const key = `export TRUSTCHECK_KEY=${found.api_key}`;
    const [link, checks, events] = await Promise.all(lines.map((line) => shell(`${key}; ${line}`)));
    expect(JSON.parse(link ?? '')).toHaveProperty('url');
    expect(JSON.parse(checks ?? '')).toHaveProperty('items');
    expect(JSON.parse(events ?? '')).toHaveProperty('items');

    const second = await run('one', 'start');
    expect(second).toEqual({
      code: 1,
      stdout: '',
      stderr: `already running as process ${one.pid}; see: npm run status\n`,
    });
    const reset = await run('one', 'reset');
    expect([reset.code, reset.stderr]).toEqual([
      1,
      `the platform runs as process ${one.pid}; stop it first: npm run stop\n`,
    ]);
    expect(alive(one).sort()).toEqual(names);

    one.command.child.kill('SIGINT');
    // A process that npm started does not notice the end of npm.
    two.command.child.kill('SIGKILL');
    const [ended] = await Promise.all([one.command.ended, two.command.ended]);
    expect(ended.code).toBe(0);
    expect(two.command.output().stderr).toContain('stopping: what started this is gone\n');
    // A process closes its output a moment before it is gone.
    for (const each of [one, two]) {
      await eventually(`${each.pid} is gone`, async () => beginningOf(each.pid) === null);
      expect(alive(each)).toEqual([]);
    }
    expect(await holderOf('one')).toBeNull();
    const after = await run('one', 'status', '--secrets', '--json');
    expect([after.code, after.stderr]).toEqual([1, 'not running now; run: npm start\n']);
    expect(JSON.parse(after.stdout)).toEqual({ ...found, running: false });
    const forgotten = await run('two', 'reset');
    expect([forgotten.code, existsSync(place('two'))]).toEqual([0, false]);
    await new Promise((resolve) => taken.close(resolve));
  }, 240_000);

  it('restarts its parts, and takes over parts left by kill -9', async () => {
    const before = JSON.parse(readFileSync(place('one/status.json'), 'utf8')) as PlatformStatus;
    chmodSync(place('one'), 0o755);
    const killed = await start('one', { PORT: '' });
    const { port } = new URL(before.base_url);
    const told = new RegExp(
      `: API at ${port} \\(as at the last start; 8080 is \\w+\\); back: PORT=8080 npm`,
    );
    // The platform is up before it prints the summary.
    await eventually('the box', async () => told.test(killed.command.output().stdout));
    expect(statSync(place('one')).mode & 0o777).toBe(0o700);
    const found = await status('one');
    expect([found.app_id, found.api_key]).toEqual([before.app_id, before.api_key]);
    for (const name of ['worker', 'postgres']) {
      process.kill(pidOf(killed.parts, name), 'SIGKILL');
      await eventually(
        `another ${name}`,
        async () => {
          const pid = pidOf(findProcesses(place('one')), name);
          return pid > 0 && pid !== pidOf(killed.parts, name) && processes.note(pid);
        },
        upMsMax,
      );
      // A worker whose database ends during its start is restarted a while later.
      const { worker } = JSON.parse(readFileSync(place('one/ports.json'), 'utf8')) as Ports;
      for (const url of [found.base_url, `http://127.0.0.1:${worker}`]) {
        await eventually(`${url} is ready`, () => isHealthy(`${url}/readyz`), upMsMax);
      }
    }
    expect(killed.command.output().stderr).toContain(
      'the worker has ended unasked; starting it again\n',
    );

    const left = { parts: findProcesses(place('one')) };
    process.kill(killed.pid, 'SIGKILL');
    await eventually('the end of the starter', async () => !beginningOf(killed.pid));
    expect(alive(left).sort()).toEqual(['api', 'postgres', 'temporal', 'worker']);
    const after = await run('one', 'status');
    expect(after.code).toBe(1);
    expect(after.stdout).toContain('trustcheck was killed, and parts of it still run; its last ru');
    expect(after.stdout).toMatch(/\n {2}npm run stop\n$/);
    const named = left.parts.map(({ name, pid }) => `${name} (process ${pid})`).join(', ');
    expect(after.stderr).toBe(
      `what started it was killed; left running: ${named}; end it: npm run stop\n`,
    );

    const once = programs.trustcheck(place('one'), ['start', '--once']);
    processes.note(once.child.pid);
    const { code, stdout } = await once.ended;
    expect([code, alive(left)]).toEqual([0, []]);
    expect(stdout).toMatch(/Its affidavit +\S+\.pdf \(valid\)/);
    const { stdout: json } = await run('one', 'status', '--secrets', '--json');
    const { last_check: check, app_id } = JSON.parse(json) as PlatformStatus;
    expect(app_id).toBe(before.app_id);
    expect(check).toMatchObject({ verified: true });
    // The platform has ended, so nothing that needs it is printed.
    expect(stdout).toContain('trustcheck is not running; its last run');
    expect(stdout).not.toMatch(/curl|http:|postgres:/);
    const affidavit = check?.affidavit_path ?? '';
    expect((await run('one', 'verify', affidavit)).code).toBe(0);
    const root = ['--root', place('one/keys/root.cer.pem')];
    expect((await run('nowhere', 'verify', ...root, affidavit)).code).toBe(0);
    expect(await run('nowhere', 'verify', affidavit)).toMatchObject({
      code: 3,
      stderr: 'no trust anchor: give a root certificate with --root\n',
    });
    expect(await holderOf('one')).toBeNull();
  }, 240_000);

  it('leaves nothing running when interrupted, and exits with the code of the signal', async () => {
    const { command, pid, parts } = await beginUpTo(place('one'), processes, 'postgres');
    const second = await run('one', 'start');
    expect([second.code, second.stderr]).toEqual([
      1,
      `already being started as process ${pid}; wait for it, or end it\n`,
    ]);
    command.child.kill('SIGINT');
    // npm repeats the signal of the terminal, which does not count as a second interrupt.
    command.child.kill('SIGINT');
    const { code, stderr } = await command.ended;
    expect(code).toBe(130);
    expect(stderr).toBe('\nstopping; once more ends everything at once\n');
    expect(alive({ parts })).toEqual([]);
    expect(await holderOf('one')).toBeNull();
  });

  it.each([
    ['', () => programs.trustcheck(place('one'), ['start'])],
    [', by npm', () => programs.npmStart(place('one'), [])],
  ])('ends when interrupted before it has started anything%s', async (_how, begin) => {
    const command = begin();
    processes.note(command.child.pid);
    await eventually('the lock', () => holderOf('one'));
    command.child.kill('SIGTERM');
    const { code } = await command.ended;
    expect(code).toBe(143);
    expect(await holderOf('one')).toBeNull();
  });

  it('exits 1 with the failed step, its output and a remedy when a process does not start', async () => {
    const env = { LOG_LEVEL: 'loud' };
    const command = programs.trustcheck(place('one'), ['start', '--once'], env);
    processes.note(command.child.pid);
    const { code, stdout, stderr } = await command.ended;
    expect(code).toBe(1);
    expect(stdout).not.toContain('curl');
    expect(stderr).toMatch(
      /\nfailed: (worker|API)\nthe \1 did not start: it has ended\n[^]*wrong settings: LOG_LEVEL[^]*\nlook for/,
    );
    expect(await holderOf('one')).toBeNull();
  });

  it('kills parts that do not stop at the second interrupt', async () => {
    const { command, parts } = await beginUpTo(place('one'), processes, 'temporal');
    process.kill(pidOf(parts, 'temporal'), 'SIGSTOP');
    command.child.kill('SIGINT');
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    expect(alive({ parts })).toContain('temporal');
    command.child.kill('SIGINT');
    expect((await command.ended).code).toBe(130);
    await eventually('the end of all', async () => alive({ parts }).length === 0);
  }, 120_000);

  it('seeds a new account when the database is another one', async () => {
    const before = JSON.parse(readFileSync(place('one/seed.json'), 'utf8')) as PlatformStatus;
    // The shared platform uses these roles too; start sets their same passwords again.
    const other = await createDatabase(ownPlatform().databaseUrl);
    const borrowed = await start('one', { DATABASE_ADMIN_URL: other.url }, true);
    const found = await status('one');
    expect(found.app_id).not.toBe(before.app_id);
    expect(found.database_url).toBe(developmentUrls(other.url).owner);
    expect(alive(borrowed).sort()).toEqual(['api', 'temporal', 'worker']);
    expect(found.last_check).toBeNull();
    expect(await run('one', 'stop')).toEqual({ code: 0, stdout: 'stopped\n', stderr: '' });
    expect([alive(borrowed), await holderOf('one')]).toEqual([[], null]);
    expect((await borrowed.command.ended).code).toBe(0);
    // The platform does not stop a database that it did not start.
    const { rows } = await other.db.query('SELECT app_id FROM apps');
    expect(rows).toEqual([{ app_id: found.app_id }]);
    await other.drop();
    expect([(await run('one', 'reset')).code, existsSync(place('one'))]).toEqual([0, false]);
  }, 240_000);
});
