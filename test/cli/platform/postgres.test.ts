import * as fs from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { beginningOf } from '../../../cli/platform/identity.ts';
import { freePort } from '../../../cli/platform/ports.ts';
import { programs } from '../../../cli/platform/postgres-cluster.ts';
import { awaitPostgres } from '../../../cli/platform/postgres.ts';
import { openSilentPostgres } from '../../support/stand-ins/silent-postgres.ts';
import { end, mark, marks, ownServers, query } from './own-postgres.ts';

const isRoot = process.getuid?.() === 0;
const nobody = 65_534;
let servers: Awaited<ReturnType<typeof ownServers>>;
beforeAll(async () => {
  servers = await ownServers();
});
afterAll(() => servers.remove());

async function userOf(pid: number): Promise<number> {
  return (await fs.stat(`/proc/${pid}`)).uid;
}

describe('the PostgreSQL of npm', () => {
  it('keeps its data over a restart, and requires a password', async () => {
    const first = await servers.start('kept');
    await mark(first.url);
    await expect(query(first.url.replace(/:[^:@]+@/, ':wrong@'), 'SELECT 1')).rejects.toThrow(
      'password authentication failed',
    );
    const { mode } = await fs.stat(join(servers.path, 'kept', 'password'));
    expect(mode & 0o077).toBe(0);
    await first.stop();
    expect(beginningOf(first.pid)).toBeNull();
    const second = await servers.start('kept');
    expect(await marks(second.url)).toEqual([{ mark: 7 }]);
    expect((await query<{ v: string }>(second.url, 'SHOW server_version'))[0]).toMatchObject({
      server_version: expect.stringMatching(/^18\./),
    });
    await second.stop();
  });

  it('does not run as root', async ({ skip }) => {
    if (!isRoot) skip('the tests do not run as root');
    const server = await servers.start('as-root');
    expect(await userOf(server.pid)).toBe(nobody);
    await server.stop();
  });

  it('runs for an ordinary user', async ({ skip }) => {
    if (!isRoot) skip('the tests run as a plain user: all of them show it');
    const home = join(servers.path, 'plain');
    await fs.chmod(servers.path, 0o755);
    await fs.mkdir(home, { mode: 0o700 });
    await fs.chown(home, nobody, nobody);
    const found = await servers
      .startApart(join(home, 'data'), nobody)
      .catch((error: unknown) => String(error));
    if (typeof found === 'string') {
      if (found.includes('EACCES') || found.includes('Cannot find module')) {
        skip('the checkout lies where another user may not read it');
      }
      throw new Error(found);
    }
    expect(await userOf(found.pid)).toBe(nobody);
    expect(found.url).toMatch(/\/trustcheck$/);
    await mark(found.url);
    await end(found.child, 'SIGTERM');
    expect(beginningOf(found.pid)).toBeNull();
  });

  it('runs below a directory that others cannot read', async () => {
    const closed = join(servers.path, 'closed');
    await fs.mkdir(closed, { mode: 0o700 });
    const server = await servers.start('closed/postgres');
    await mark(server.url);
    await server.stop();
    const { mode, uid } = await fs.stat(join(closed, 'postgres'));
    expect([mode & 0o777, uid]).toEqual([0o700, isRoot ? nobody : process.getuid?.()]);
  });

  it('creates the links that the install script of its package creates', async () => {
    const { directory } = await programs();
    const list = await fs.readFile(join(directory, 'native', 'pg-symlinks.json'), 'utf8');
    const [first] = JSON.parse(list) as { target: string }[];
    const link = join(directory, first?.target ?? '');
    await fs.rm(link, { force: true });
    await (await servers.start('linked')).stop();
    expect((await fs.lstat(link)).isSymbolicLink()).toBe(true);
  });
});

describe('the error of a PostgreSQL start', () => {
  it('names the port in use', async () => {
    const port = await freePort();
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
    await expect(servers.start('taken', { port })).rejects.toThrow(`port ${port} is taken`);
    await new Promise((resolve) => server.close(resolve));
  });

  it('names the other major version that made the cluster, and keeps the cluster', async () => {
    await (await servers.start('older')).stop();
    const cluster = join(servers.path, 'older');
    await fs.writeFile(join(cluster, 'PG_VERSION'), '17\n');
    const why = /made by PostgreSQL 17, this is 18\.\S+: .*DATABASE_ADMIN_URL.*npm run reset/;
    await expect(servers.start('older')).rejects.toThrow(why);
    expect(await fs.readFile(join(cluster, 'PG_VERSION'), 'utf8')).toBe('17\n');
  });

  it('includes the output of the server for a damaged cluster', async () => {
    await (await servers.start('damaged')).stop();
    const cluster = join(servers.path, 'damaged');
    await fs.rm(join(cluster, 'global', 'pg_control'));
    await expect(servers.start('damaged')).rejects.toThrow(
      /did not start: it has ended[^]*pg_control/,
    );
  });
});

describe('the server named by DATABASE_ADMIN_URL', () => {
  const patienceMs = 300;

  it('is awaited until it is ready', async () => {
    const server = await servers.start('given');
    await awaitPostgres(server.url, patienceMs);
    await server.stop();
  });

  it.each([
    ['is no address', 'secret', 'DATABASE_ADMIN_URL is not a postgres:// address'],
    ['is of another kind', 'mysql://u:secret@127.0.0.1/x', 'not a postgres:// address'],
    ['answers nothing', 'postgres://u:secret@127.0.0.1:1/x', '127.0.0.1:1/x (DATABASE_ADMIN_URL)'],
  ])('fails with one line and without the password when it %s', async (_, url, why) => {
    const error = await awaitPostgres(url, patienceMs).then(
      () => null,
      (reason: Error) => reason,
    );
    expect(error?.message).toContain(why);
    expect(error?.message).not.toMatch(/secret|\n/);
  });

  it.each(['nothing', 'handshake'] as const)(
    'fails with one line when it answers %s and then falls silent',
    async (says) => {
      const { url, stop } = await openSilentPostgres(says);
      await expect(awaitPostgres(url, patienceMs)).rejects.toThrow(
        /^PostgreSQL at 127\.0\.0\.1:\d+\/x \(DATABASE_ADMIN_URL\): not ready after .+$/,
      );
      await stop();
    },
  );

  it('is refused at once with a wrong password', async () => {
    const server = await servers.start('refusing');
    const wrong = server.url.replace(/:[^:@]+@/, ':wrong@');
    await expect(awaitPostgres(wrong)).rejects.toThrow('password authentication failed');
    // A missing database is created.
    await awaitPostgres(server.url.replace(/trustcheck$/, 'missing'));
    await server.stop();
  });
});
