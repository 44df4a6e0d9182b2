import { spawn } from 'node:child_process';
import * as fs from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { beginningOf } from '../../../cli/platform/identity.ts';
import { endLeft } from '../../../cli/platform/platform-processes.ts';
import { end, mark, marks, ownServers } from './own-postgres.ts';

let servers: Awaited<ReturnType<typeof ownServers>>;
beforeAll(async () => {
  servers = await ownServers();
});
afterAll(() => servers.remove());

describe('PostgreSQL after kill -9', () => {
  it('restarts with its data when the server was killed', async () => {
    const first = await servers.start('killed');
    await mark(first.url);
    process.kill(first.pid, 'SIGKILL');
    await first.ended;
    const second = await servers.start('killed');
    expect(await marks(second.url)).toEqual([{ mark: 7 }]);
    await second.stop();
  });

  it('is ended when its starter was killed, and keeps its data', async () => {
    await fs.mkdir(join(servers.path, 'orphan'));
    const left = await servers.startApart(join(servers.path, 'orphan', 'postgres'));
    await mark(left.url);
    await end(left.child, 'SIGKILL');
    expect(beginningOf(left.pid)).not.toBeNull();
    await endLeft(join(servers.path, 'orphan'));
    expect(beginningOf(left.pid)).toBeNull();
    const next = await servers.start('orphan/postgres');
    expect(await marks(next.url)).toEqual([{ mark: 7 }]);
    await next.stop();
  });

  it.each([
    ['says nothing of it', 'sleep 600; :', []],
    ['names its directory', 'sleep 600; :', ['/bin/tail', 'CLUSTER/postmaster.pid']],
    ['looks much like it', 'sleep 600; :', ['postgres', '-D', 'CLUSTER']],
  ])('leaves a foreign process alone that has the id of the server and %s', async (_, ...sh) => {
    const [script, names] = sh;
    const first = await servers.start('reused');
    const cluster = join(servers.path, 'reused');
    const file = join(cluster, 'postmaster.pid');
    const pidFile = await fs.readFile(file, 'utf8');
    process.kill(first.pid, 'SIGKILL');
    await first.ended;
    const words = names.map((word) => word.replace('CLUSTER', cluster));
    const foreign = spawn('sh', ['-c', script, ...words], { stdio: 'ignore', detached: true });
    servers.note(foreign.pid);
    await fs.writeFile(file, pidFile.replace(/^\d+/, `${foreign.pid}`));
    const second = await servers.start('reused');
    expect(beginningOf(foreign.pid ?? 0)).not.toBeNull();
    await second.stop();
    process.kill(-(foreign.pid ?? 0), 'SIGKILL');
  });

  it('initializes a new cluster when an initialization was killed, without leftovers', async () => {
    const half = join(servers.path, 'half');
    await fs.mkdir(half);
    await fs.writeFile(join(half, 'PG_VERSION'), '17\n');
    await fs.writeFile(`${half}.new`, 'secret');
    await (await servers.start('half')).stop();
    const names = (await fs.readdir(servers.path)).filter((name) => name.startsWith('half'));
    expect(names.sort()).toEqual(['half', 'half.log']);
  });

  it('never replaces a directory with files of another program', async () => {
    const other = join(servers.path, 'other');
    await fs.mkdir(other);
    await fs.writeFile(join(other, 'notes.txt'), 'mine');
    for (const _ of ['once', 'twice']) {
      await expect(servers.start('other')).rejects.toThrow(
        `${other} holds other files (notes.txt): move them away`,
      );
    }
    expect(await fs.readdir(other)).toEqual(['notes.txt']);
  });
});
