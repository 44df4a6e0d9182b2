import { mkdirSync, readdirSync, symlinkSync, watch, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { commandHere } from '../../support/commands/command-here.ts';
import { ownDirectory } from '../../support/commands/run-command.ts';
import { eventually } from '../../support/platform/harness.ts';

let directory = { path: '', remove: async (): Promise<void> => undefined };
let state = '';
beforeEach(async () => {
  directory = await ownDirectory();
  state = join(directory.path, 'state');
});
afterEach(() => directory.remove());

const run = (flags: readonly string[], env?: Readonly<Record<string, string>>) =>
  commandHere(state, flags, env);

describe('doctor', () => {
  it('finds nothing wrong on this machine, and leaves no files', async () => {
    const { code, stdout, stderr } = await run(['doctor']);
    expect([code, stderr]).toEqual([0, '']);
    const lines = stdout.split('\n').filter((line) => /^[✓✗]/.test(line));
    expect(lines.map((line) => line.split(':')[0])).toEqual([
      '✓ Node',
      '✓ PostgreSQL',
      '✓ Temporal server',
      '✓ State directory',
      '✓ Keys',
      '✓ Disk',
      '✓ Ports',
      '✓ Public log',
    ]);
    expect(readdirSync(directory.path)).toEqual([]);
  });

  it('names a fix for each problem', async () => {
    const link = join(directory.path, 'link');
    symlinkSync(state, link);
    const { code, stdout } = await commandHere(join(link, 'data'), ['doctor'], {
      DATABASE_ADMIN_URL: 'postgres://u:secret@127.0.0.1:1/x',
      TEMPORAL_ADDRESS: '127.0.0.1:1',
      PORT: 'eighty',
    });
    expect(code).toBe(1);
    expect(stdout).toMatch(/✗ PostgreSQL: .*127\.0\.0\.1:1\/x .*unset DATABASE_ADMIN_URL/);
    expect(stdout).toMatch(/✗ Temporal server: .*unset TEMPORAL_ADDRESS/);
    expect(stdout).toContain(
      `✗ State directory: ${link} is a link to ${state}, which is not there; make that, or set D`,
    );
    expect(stdout).toMatch(/✗ Ports: PORT is not a port/);
    expect(stdout).not.toContain('secret');
  });

  it('reports when a start could not get the Temporal server', async () => {
    const { code, stdout } = await run(['doctor'], {
      PATH: directory.path,
      XDG_CACHE_HOME: directory.path,
      // A proxy that does not exist prevents a download in any network.
      NODE_USE_ENV_PROXY: '1',
      HTTPS_PROXY: 'http://127.0.0.1:1',
    });
    expect(code).toBe(1);
    expect(stdout).toMatch(
      /^✗ Temporal server: not there; no download \(.+\), and Go is not on the PATH: put temporal on the PATH, or Go to build .+$/m,
    );
  });

  it.runIf(process.platform === 'linux')('tests whether the directory can be created', async () => {
    const { code, stdout } = await commandHere('/proc/x', ['doctor']);
    expect(code).toBe(1);
    expect(stdout).toContain('✗ State directory: /proc cannot be written to; set DATA_DIR\n');
  });

  it.runIf(process.platform === 'linux')('creates no file, not even for a moment', async () => {
    const seen: (string | null)[] = [];
    const watcher = watch(directory.path, (_, name) => seen.push(name));
    expect((await run(['doctor'])).stdout).toContain(`✓ State directory: ${state}\n`);
    writeFileSync(join(directory.path, 'last'), '');
    await eventually('the last file', async () => seen.includes('last'));
    watcher.close();
    expect(new Set(seen)).toEqual(new Set(['last']));
  });

  it('detects a cluster of another version and a port in use', async () => {
    mkdirSync(join(state, 'postgres'), { recursive: true });
    writeFileSync(join(state, 'postgres', 'PG_VERSION'), '17\n');
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    const port = typeof address === 'object' && address ? String(address.port) : '';
    const { code, stdout } = await run(['doctor'], { PORT: port });
    expect(code).toBe(1);
    expect(stdout).toMatch(/✗ PostgreSQL: .*of version 17.*npm run reset/);
    expect(stdout).toContain(`✓ Ports: ${port} in use by other programs; other ports will be used`);
    await new Promise((resolve) => server.close(resolve));
  });
});

describe('an unusable data directory', () => {
  it.each([['start'], ['reset']])('is reported in one line with a remedy by %s', async (name) => {
    const [nowhere, file] = [join(directory.path, 'nowhere'), join(directory.path, 'file')];
    symlinkSync(nowhere, state);
    writeFileSync(file, '');
    const long = join(directory.path, ...Array.from({ length: 3 }, () => 'd'.repeat(200)));
    const lengths = `its path has ${long.length} bytes, and 480 are taken`;
    const link = `${state} is a link to ${nowhere}, which is not there`;
    for (const [path, why, fix] of [
      [state, link, 'make that, or set DATA_DIR'],
      [join(state, 'below'), link, 'make that, or set DATA_DIR'],
      [file, `${file} is no directory`, 'move it away, or set DATA_DIR'],
      [join(file, 'below'), `${file} is no directory`, 'move it away, or set DATA_DIR'],
      [long, lengths, 'set DATA_DIR to a shorter one'],
    ] as const) {
      const { code, stdout, stderr } = await commandHere(path, [name]);
      expect([code, stdout]).toEqual([1, '']);
      expect(stderr).toBe(`cannot write to ${path} (${why}); ${fix}\n`);
    }
    expect(readdirSync(directory.path).sort()).toEqual(['file', 'state']);
  });

  it.skipIf(process.getuid?.() === 0)('is reported when this user cannot write to it', async () => {
    mkdirSync(state, { mode: 0o500 });
    const { code, stderr } = await commandHere(state, ['start']);
    expect(code).toBe(1);
    const why = `(${state} cannot be written to); set DATA_DIR`;
    expect(stderr).toBe(`cannot write to ${state} ${why}\n`);
  });
});
