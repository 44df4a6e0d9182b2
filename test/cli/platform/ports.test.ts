import { spawn } from 'node:child_process';
import { createServer, type Server } from 'node:net';
import { describe, expect, it } from 'vitest';
import { freePort, isFree, reservePorts } from '../../../cli/platform/ports.ts';

async function listener(): Promise<{ server: Server; port: number }> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return { server, port: typeof address === 'object' && address ? address.port : 0 };
}

describe('reserved ports', () => {
  it('are the wanted ones when free, and others when in use', async () => {
    const { server, port } = await listener();
    expect(await isFree(port)).toBe(false);
    const taken = await reservePorts({ api: port });
    expect(taken.ports.api).not.toBe(port);
    taken.release();
    await new Promise((resolve) => server.close(resolve));
    const free = await reservePorts({ api: port });
    expect(free.ports.api).toBe(port);
    free.release();
  });

  it('are reserved once, even before a program listens on them', async () => {
    const wanted = await freePort();
    const all = await Promise.all(
      Array.from({ length: 5 }, () => reservePorts({ a: wanted, b: wanted })),
    );
    const ports = all.flatMap(({ ports: { a, b } }) => [a, b]);
    expect(new Set(ports).size).toBe(10);
    expect(ports.filter((port) => port === wanted)).toHaveLength(1);
    for (const { release } of all) release();
    const again = await reservePorts({ a: wanted });
    expect(again.ports.a).toBe(wanted);
    again.release();
  });

  it('are free again after their process was killed', async () => {
    const port = await freePort();
    const holder = new URL('hold-lock.ts', import.meta.url).pathname;
    const child = spawn(process.execPath, [holder, `port ${port}`], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await new Promise((resolve) => child.stdout.once('data', resolve));
    const other = await reservePorts({ api: port });
    expect(other.ports.api).not.toBe(port);
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGKILL');
    await ended;
    const own = await reservePorts({ api: port });
    expect(own.ports.api).toBe(port);
    for (const { release } of [other, own]) release();
  });
});
