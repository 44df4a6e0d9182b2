import * as fs from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { beginningOf } from '../../../cli/platform/identity.ts';
import { freePort } from '../../../cli/platform/ports.ts';
import { clusterOf, moveApart, packageDirectory } from '../../../cli/platform/postgres-place.ts';
import { clustersOf, listApart, passwordFile } from '../../../cli/platform/postgres-roots-place.ts';
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
  it('keeps its data over a stop and a start, behind a password', async () => {
    const first = await servers.start('kept');
    await mark(first.url);
    await expect(query(first.url.replace(/:[^:@]+@/, ':wrong@'), 'SELECT 1')).rejects.toThrow(
      'password authentication failed',
    );
    const { mode } = await fs.stat(passwordFile(join(servers.path, 'kept')));
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

  it('runs for a plain user, in a cache of the user’s own', async ({ skip }) => {
    if (!isRoot) skip('the tests run as a plain user: all of them show it');
    const home = join(servers.path, 'plain');
    await fs.mkdir(home, { mode: 0o700 });
    await fs.chown(home, nobody, nobody);
    const found = await servers
      .startApart(join(home, 'data'), join(home, 'cache'), nobody)
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
    expect(await fs.readdir(join(home, 'cache'))).toContainEqual(
      expect.stringMatching(/^postgres-18/),
    );
    await end(found.child, 'SIGTERM');
    expect(beginningOf(found.pid)).toBeNull();
  });

  it('runs below a directory that is closed to others', async () => {
    const closed = join(servers.path, 'closed');
    await fs.mkdir(closed, { mode: 0o700 });
    const first = await servers.start('closed/postgres');
    await mark(first.url);
    await first.stop();
    // Where it lies does not depend on what becomes of the directory.
    await fs.chmod(closed, 0o755);
    const second = await servers.start('closed/postgres');
    expect(await marks(second.url)).toEqual([{ mark: 7 }]);
    await second.stop();
  });

  it('is known by its directory while that leads to it, and after', async ({ skip }) => {
    if (!isRoot) skip('only root has clusters elsewhere');
    const closed = join(servers.path, 'noted');
    await fs.mkdir(closed, { mode: 0o700 });
    const dataDir = join(closed, 'postgres');
    await (await servers.start('noted/postgres')).stop();
    const cluster = await clusterOf(dataDir);
    const seen = async () => (await listApart()).find(({ path }) => path === cluster);
    expect(await seen()).toEqual({ path: cluster, dataDir, isWanted: true });
    await fs.rm(closed, { recursive: true });
    expect(await seen()).toEqual({ path: cluster, dataDir, isWanted: false });
    expect(await clustersOf(dataDir)).toEqual([cluster]);
  });

  it('runs on in a directory that is closed after its cluster was taken out', async ({ skip }) => {
    if (!isRoot) skip('only root runs it as another user');
    const parent = join(servers.path, 'closing');
    await fs.mkdir(parent);
    const first = await servers.start('closing/postgres');
    await mark(first.url);
    await first.stop();
    await moveApart(join(parent, 'postgres'));
    await fs.chmod(parent, 0o700);
    const second = await servers.start('closing/postgres');
    expect(await marks(second.url)).toEqual([{ mark: 7 }]);
    await second.stop();
  });

  it('is taken out to another file system with owners and rights', async ({ skip }) => {
    const [here, other] = await Promise.all([
      fs.stat('/var/lib'),
      fs.stat('/dev/shm').catch(() => null),
    ]);
    if (!isRoot || !other || other.dev === here.dev) skip('there is no other file system');
    const parent = await fs.mkdtemp('/dev/shm/trustcheck-');
    const from = join(parent, 'postgres');
    await fs.mkdir(join(from, 'base'), { recursive: true, mode: 0o700 });
    await fs.writeFile(join(from, 'base', '1'), 'page', { mode: 0o600 });
    for (const path of ['base/1', 'base', '']) await fs.chown(join(from, path), 65_534, 65_534);
    await moveApart(from);
    const cluster = await clusterOf(from);
    expect([cluster.startsWith(parent), await fs.readdir(parent)]).toEqual([false, []]);
    const rights = ['', 'base', 'base/1'].map(async (path) => {
      const { uid, gid, mode } = await fs.lstat(join(cluster, path));
      return [uid, gid, mode & 0o777];
    });
    const [folder, file] = [
      [65_534, 65_534, 0o700],
      [65_534, 65_534, 0o600],
    ];
    expect(await Promise.all(rights)).toEqual([folder, folder, file]);
    expect(await fs.readFile(join(cluster, 'base', '1'), 'utf8')).toBe('page');
    for (const path of [cluster, parent]) await fs.rm(path, { recursive: true });
  });

  it('names the directory that has been closed since', async ({ skip }) => {
    if (!isRoot) skip('only root runs it as another user');
    const open = join(servers.path, 'open');
    await fs.mkdir(open);
    await (await servers.start('open/postgres')).stop();
    await fs.chmod(open, 0o700);
    await expect(servers.start('open/postgres')).rejects.toThrow(`chmod o+x ${open}`);
  });

  it('runs where no install script has made its links', async () => {
    const packageDir = join(servers.path, 'package');
    const isLink = async (path: string) => (await fs.lstat(path)).isSymbolicLink();
    await fs.cp(packageDirectory(), packageDir, {
      recursive: true,
      filter: async (path) => !(await isLink(path)),
    });
    const libraries = await fs.readdir(join(packageDir, 'native', 'lib'));
    expect(libraries).not.toContain('libicuuc.so.60');
    const cache = join(servers.path, 'scriptless');
    await fs.mkdir(cache);
    await fs.writeFile(join(packageDir, 'native', 'bin', 'closed'), '', { mode: 0o600 });
    const server = await servers.start('without-scripts', { packageDir, cache });
    await mark(server.url);
    await server.stop();
    const copied = (await fs.readdir(cache)).filter((name) => !name.includes('lock'));
    expect(copied).toEqual([expect.stringMatching(/^postgres-18[\w.-]*\d$/)]);
  });

  it('says how to get it when npm has not brought it', async () => {
    const failing = servers.start('nothing', { packageDir: join(servers.path, 'no-package') });
    await expect(failing).rejects.toThrow(/no-package.*npm ci/);
  });
});

describe('a clear failure', () => {
  it('where the port is taken', async () => {
    const port = await freePort();
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
    await expect(servers.start('taken', { port })).rejects.toThrow(`port ${port} is taken`);
    await new Promise((resolve) => server.close(resolve));
  });

  it('where another major version made the cluster, which stays as it is', async () => {
    await (await servers.start('older')).stop();
    const cluster = await clusterOf(join(servers.path, 'older'));
    await fs.writeFile(join(cluster, 'PG_VERSION'), '17\n');
    const why = /made by PostgreSQL 17, this is 18: .*DATABASE_ADMIN_URL.*npm run reset/;
    await expect(servers.start('older')).rejects.toThrow(why);
    expect(await fs.readFile(join(cluster, 'PG_VERSION'), 'utf8')).toBe('17\n');
  });

  it('where the password is lost', async () => {
    await (await servers.start('lost')).stop();
    const path = passwordFile(join(servers.path, 'lost'));
    await fs.rm(path);
    await expect(servers.start('lost')).rejects.toThrow(
      /lost\.password is not the password.*reset/,
    );
  });

  it('where the cluster is damaged, with the server’s own words', async () => {
    await (await servers.start('damaged')).stop();
    const cluster = await clusterOf(join(servers.path, 'damaged'));
    await fs.rm(join(cluster, 'global', 'pg_control'));
    await expect(servers.start('damaged')).rejects.toThrow(
      /did not start: it has ended[^]*pg_control/,
    );
  });
});

describe('the server DATABASE_ADMIN_URL names', () => {
  const patienceMs = 300;

  it('is waited for', async () => {
    const server = await servers.start('given');
    await awaitPostgres(server.url, patienceMs);
    await server.stop();
  });

  it.each([
    ['is no address', 'secret', 'DATABASE_ADMIN_URL is not a postgres:// address'],
    ['is of another kind', 'mysql://u:secret@127.0.0.1/x', 'not a postgres:// address'],
    ['answers nothing', 'postgres://u:secret@127.0.0.1:1/x', '127.0.0.1:1/x (DATABASE_ADMIN_URL)'],
  ])('that %s: one line, without the password', async (_, url, why) => {
    const error = await awaitPostgres(url, patienceMs).then(
      () => null,
      (reason: Error) => reason,
    );
    expect(error?.message).toContain(why);
    expect(error?.message).not.toMatch(/secret|\n/);
  });

  it.each(['nothing', 'handshake'] as const)(
    'that says %s and falls silent: one line, and it is let go of',
    async (says) => {
      const { url, stop } = await openSilentPostgres(says);
      await expect(awaitPostgres(url, patienceMs)).rejects.toThrow(
        /^PostgreSQL at 127\.0\.0\.1:\d+\/x \(DATABASE_ADMIN_URL\): it is silent, not ready after .+$/,
      );
      await stop();
    },
  );

  it('with a wrong password: at once', async () => {
    const server = await servers.start('refusing');
    const wrong = server.url.replace(/:[^:@]+@/, ':wrong@');
    await expect(awaitPostgres(wrong)).rejects.toThrow('password authentication failed');
    // A database that is missing is created.
    await awaitPostgres(server.url.replace(/trustcheck$/, 'missing'));
    await server.stop();
  });
});
