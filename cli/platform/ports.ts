import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';
import type { Ports } from '../data-directory/state.ts';
import { environment } from '../environment.ts';
import { takeLock, type Lock } from './lock.ts';

/**
 * For each part's port: the variable with the port to try first, its title, and the setting that
 * selects an external server instead.
 */
const places: readonly [name: keyof Ports, variable: string, title: string, elsewhere?: string][] =
  [
    ['api', 'PORT', 'API'],
    ['metrics', 'METRICS_PORT', 'metrics of the API'],
    ['worker', 'WORKER_PORT', 'worker'],
    ['postgres', 'POSTGRES_PORT', 'PostgreSQL', 'DATABASE_ADMIN_URL'],
    ['temporal', 'TEMPORAL_PORT', 'Temporal', 'TEMPORAL_ADDRESS'],
    ['temporalUi', 'TEMPORAL_UI_PORT', 'Temporal UI', 'TEMPORAL_ADDRESS'],
  ];
export const portVariables = places.map(([, variable]) => variable);
export const usualPorts: Ports = {
  api: 8080,
  metrics: 9464,
  worker: 9465,
  postgres: 5433,
  temporal: 7233,
  temporalUi: 8233,
};
const portMax = 65_535;
const triesMax = 20;
/**
 * Below the range of outgoing connections, which could take a port between the check and its use.
 */
const ownPorts = { from: 16_384, below: 32_768 };

/**
 * Returns the ports to try first: those of the environment, else of the last start, else the
 * defaults.
 * @throws a one-line error that names a variable without a valid port
 */
export function wantedPorts(last: Ports | null, env = environment()): Ports {
  const wanted: Record<keyof Ports, number> = { ...usualPorts, ...last };
  for (const [name, variable] of places) {
    const value = env[variable];
    if (!value) continue;
    wanted[name] = Number(value);
    if (Number.isInteger(wanted[name]) && wanted[name] >= 0 && wanted[name] <= portMax) continue;
    throw new Error(`${variable} is not a port: give a number from 0 to ${portMax}`);
  }
  return wanted;
}

/**
 * Returns one line about ports that differ from their variable or default, with the reason and the
 * command to return to it. Null if there is none.
 */
export async function movedPorts(
  wanted: Ports,
  ports: Ports,
  env = environment(),
): Promise<string | null> {
  const [moved, ways]: [string[], string[]] = [[], []];
  for (const [name, variable, title, elsewhere] of places) {
    const [port, first] = [ports[name], wanted[name]];
    const home = env[variable] ? first : usualPorts[name];
    if ((elsewhere && env[elsewhere]) || home === 0 || port === home) continue;
    const isKept = port === first;
    const reason = `as at the last start; ${home} is ${(await isFree(home)) ? 'free' : 'taken'}`;
    moved.push(`${title} at ${port} (${isKept ? reason : `${first} is taken`})`);
    ways.push(`${variable}=${isKept ? home : first}`);
  }
  if (moved.length === 0) return null;
  return `other ports than usual: ${moved.join(', ')}; back: ${ways.join(' ')} npm start`;
}

/**
 * Finds a free port for each wanted one, and prefers the wanted port. A lock on each keeps it from
 * other starts until `release`.
 */
export async function reservePorts<Name extends string>(
  wanted: Readonly<Record<Name, number>>,
): Promise<{ ports: Record<Name, number>; release: () => void }> {
  const locks: Lock[] = [];
  const ports: Record<string, number> = {};
  for (const [name, port] of Object.entries<number>(wanted)) {
    ports[name] = await firstPort(port, async (found) => {
      const lock = await takeLock(`port ${found}`);
      return 'release' in lock && locks.push(lock) > 0;
    });
  }
  return { ports, release: () => locks.forEach((lock) => lock.release()) };
}

/** Returns a free port of 127.0.0.1. */
export function freePort(): Promise<number> {
  return firstPort(0, async () => true);
}

async function firstPort(
  wanted: number,
  take: (port: number) => Promise<boolean>,
): Promise<number> {
  for (let attempt = 0; attempt < triesMax; attempt += 1) {
    const port = (attempt === 0 && wanted) || randomInt(ownPorts.from, ownPorts.below);
    if ((await isFree(port)) && (await take(port))) return port;
  }
  throw new Error('no port is free');
}

/** Returns true if no process listens on a port of 127.0.0.1. */
export function isFree(port: number): Promise<boolean> {
  return new Promise((done) => {
    const server = createServer();
    server.once('error', () => done(false));
    server.listen(port, '127.0.0.1', () => server.close(() => done(true)));
  });
}
