import { spawn } from 'node:child_process';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort, isFree, reservePorts } from '../../../cli/platform/ports.ts';
import { ownDirectory } from '../../support/commands/run-command.ts';

let directory = { path: '', remove: async (): Promise<void> => undefined };
beforeAll(async () => {
  directory = await ownDirectory();
});
afterAll(() => directory.remove());

async function listener(): Promise<{ server: Server; port: number }> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return { server, port: typeof address === 'object' && address ? address.port : 0 };
}

describe('ports', () => {
  it('are the wanted ones while nobody listens there, others when somebody does', async () => {
    const { server, port } = await listener();
    expect(await isFree(port)).toBe(false);
    expect(await freePort(port)).not.toBe(port);
    const taken = await reservePorts({ api: port }, directory.path);
    expect(taken.ports.api).not.toBe(port);
    await taken.release();
    await new Promise((resolve) => server.close(resolve));
    expect(await freePort(port)).toBe(port);
    const free = await reservePorts({ api: port }, directory.path);
    expect(free.ports.api).toBe(port);
    await free.release();
  });

  it('are promised once, though nobody listens there yet', async () => {
    const wanted = await freePort();
    const all = await Promise.all(
      Array.from({ length: 5 }, () => reservePorts({ a: wanted, b: wanted }, directory.path)),
    );
    const ports = all.flatMap(({ ports: { a, b } }) => [a, b]);
    expect(new Set(ports).size).toBe(10);
    expect(ports.filter((port) => port === wanted)).toHaveLength(1);
    await Promise.all(all.map(({ release }) => release()));
    const again = await reservePorts({ a: wanted }, directory.path);
    expect(again.ports.a).toBe(wanted);
    await again.release();
  });

  it('promised to a process that was killed are free again', async () => {
    const port = await freePort();
    const holder = new URL('hold-lock.ts', import.meta.url).pathname;
    const lock = join(directory.path, 'ports', String(port));
    const child = spawn(process.execPath, [holder, lock], { stdio: ['ignore', 'pipe', 'inherit'] });
    await new Promise((resolve) => child.stdout.once('data', resolve));
    const other = await reservePorts({ api: port }, directory.path);
    expect(other.ports.api).not.toBe(port);
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGKILL');
    await ended;
    const own = await reservePorts({ api: port }, directory.path);
    expect(own.ports.api).toBe(port);
    await Promise.all([other.release(), own.release()]);
  });

  it('are given where the cache cannot be written to', async () => {
    const port = await freePort();
    const { ports, release } = await reservePorts({ api: port }, '/dev/null');
    expect(ports.api).toBe(port);
    await release();
  });
});
