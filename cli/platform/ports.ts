import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { cacheDirectory } from './cache.ts';
import { AlreadyRunning, openLedger, type Ledger } from './ledger.ts';
import { waitUntil } from './processes.ts';

const triesMax = 20;
/**
 * Below what systems give to outgoing connections, which could take a port between find and use.
 */
const ownPorts = { from: 16_384, below: 32_768 };
const endingMsMax = 1_500;

/** A port nobody listens on; the wanted one when it is free. */
export async function freePort(wanted = 0): Promise<number> {
  for (let attempt = 0; attempt < triesMax; attempt += 1) {
    const found = await tryPort((attempt === 0 && wanted) || anyPort());
    if (found !== null) return found;
  }
  throw new Error('no port is free');
}

const anyPort = (): number => randomInt(ownPorts.from, ownPorts.below);

/** Whether nobody listens on a port of 127.0.0.1. */
export async function isFree(port: number): Promise<boolean> {
  return (await tryPort(port)) !== null;
}

/** Waits for a port of somebody who is just ending. Throws one line when it stays taken. */
export async function awaitFree(port: number): Promise<void> {
  await waitUntil(() => isFree(port), endingMsMax).catch((cause: unknown) => {
    throw new Error(`port ${port} is taken; choose another`, { cause });
  });
}

/**
 * Ports promised to this process, each the wanted one when it is free. Of two starts that look at
 * the same moment only one is promised a port, though nobody listens on it yet.
 */
export async function reservePorts<Name extends string>(
  wanted: Readonly<Record<Name, number>>,
  cache = cacheDirectory(),
): Promise<{ ports: Record<Name, number>; release: () => Promise<void> }> {
  const held: Ledger[] = [];
  const ports: Record<string, number> = {};
  for (const [name, port] of Object.entries<number>(wanted)) {
    ports[name] = await reserve(port, join(cache, 'ports'), held);
  }
  const release = async (): Promise<void> => {
    await Promise.all(held.map((ledger) => ledger.close()));
  };
  return { ports, release };
}

async function reserve(wanted: number, directory: string, held: Ledger[]): Promise<number> {
  for (let attempt = 0; attempt < triesMax; attempt += 1) {
    const port = await tryPort((attempt === 0 && wanted) || anyPort());
    if (port === null) continue;
    try {
      held.push(await openLedger(join(directory, String(port))));
      return port;
    } catch (error) {
      // A cache that cannot be written to promises nothing, and is no reason not to start.
      if (!(error instanceof AlreadyRunning)) return port;
    }
  }
  throw new Error('no port is free');
}

function tryPort(port: number): Promise<number | null> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(null));
    server.listen(port, '127.0.0.1', () => {
      const address = server.address();
      const got = typeof address === 'object' && address ? address.port : null;
      server.close(() => resolve(got));
    });
  });
}
