import { setTimeout as sleep } from 'node:timers/promises';
import { socketsPath } from '../../../api/http/server/create-server.ts';
import { freePort } from '../../../cli/platform/ports.ts';
import { dbConfig } from '../../../db/config.ts';
import type { SocketsRequest } from './candidates/sockets.ts';
import { loadHttp } from './http/load-http.ts';
import type { Bench, BenchContext } from './measure/bench.ts';
import { startChild, type Child } from './measure/child.ts';
import { openInspector, residentMiBOf, type Inspected } from './measure/collect-garbage.ts';
import type { BenchResult } from './measure/judge.ts';
import { median } from './measure/statistics.ts';

const sockets = 5_000;
const samples = 3;
const warmUpRequests = 5_000;
const connections = 32;
const sampleMs = 10_000;
/** Fewer than the pool has, so that no request waits for a database connection. */
const growthConnections = 8;
const goal = { idle: 1.5, socketKiB: 22, growthPercent: 3 };
/** The flags of `startService`: the floor gets the same young generation. */
const flags = ['--min-semi-space-size=16', '--max-semi-space-size=64'];

/**
 * P7: memory of an idle API compared with a bare server with the same pool, memory per socket, and
 * growth under open sockets and requests.
 */
export const memory: Bench = { id: 'P7', rounds: 1, run };

interface Side extends Inspected {
  readonly url: string;
  readonly path: string;
  readonly preview: string;
}

async function run(context: BenchContext): Promise<BenchResult> {
  const { facts } = context.platform;
  const { api_key: token, app_id, account_id } = facts.own;
  const { link_uuid } = await context.call<{ link_uuid: string }>('PUT', `/v2/${app_id}`, {
    token,
    body: {},
  });
  const closing: Child[] = [];
  try {
    const floorPort = await freePort();
    const { DATABASE_CONNECTIONS_MAX: connectionsMax } = dbConfig.shape;
    const floorSettings = {
      DATABASE_URL: facts.databaseUrl,
      DATABASE_CONNECTIONS_MAX: String(connectionsMax.parse(undefined)),
    };
    const floorFlags = [...flags, `--inspect-port=${floorPort}`];
    const floor = await startChild('floors/memory.ts', floorSettings, floorFlags);
    closing.push(floor);
    const floorUrl = `http://127.0.0.1:${floor.port}`;
    const sides = {
      floor: {
        pid: floor.pid,
        port: floorPort,
        url: floorUrl,
        path: '/socket.io',
        preview: `${floorUrl}/v2/${link_uuid}`,
      },
      candidate: {
        pid: context.platform.api.child.pid ?? 0,
        port: context.inspectPort,
        url: facts.baseUrl,
        path: socketsPath,
        preview: `${facts.baseUrl}/v2/${link_uuid}?format_type=J`,
      },
    };
    const request = { token, stream: `account:${account_id}`, count: sockets };
    const onFloor = await measureSide(sides.floor, request, closing);
    const onCandidate = await measureSide(sides.candidate, request, closing);
    const growth = await growthOf(sides.candidate, context);
    const both = (name: 'idleMiB' | 'socketKiB') => ({
      floor: onFloor[name],
      candidate: onCandidate[name],
    });
    return {
      id: 'P7',
      title: 'memory',
      extent: `${sockets} sockets, ${context.minutes} minutes`,
      measures: [
        { name: 'idle', unit: 'MiB', ...both('idleMiB'), goal: { of: 'ratio', max: goal.idle } },
        {
          name: 'a socket',
          unit: 'KiB',
          ...both('socketKiB'),
          goal: { of: 'candidate', max: goal.socketKiB },
        },
      ],
      counts: [{ name: 'growth', unit: '%', value: growth, max: goal.growthPercent }],
    };
  } finally {
    await Promise.all(closing.map((child) => child.stop()));
  }
}

/** Warms one side up, and reads its memory when idle and with all sockets. */
async function measureSide(
  side: Side,
  request: Pick<SocketsRequest, 'token' | 'stream' | 'count'>,
  closing: Child[],
) {
  await openInspector(side);
  await loadHttp({ url: side.preview, pid: side.pid }, warmUpRequests, connections);
  const idleMiB = await sampled(side);
  const clients = await startChild('candidates/sockets.ts', {});
  closing.push(clients);
  const { url, path } = side;
  const { connected } = await clients.ask<{ connected: number }>({ url, path, ...request });
  if (connected !== sockets) throw new Error(`${connected} of ${sockets} sockets are connected`);
  const base = median(idleMiB);
  const socketKiB = (await sampled(side)).map((mib) => ((mib - base) * 1024) / sockets);
  return { idleMiB, socketKiB };
}

async function sampled(side: Inspected): Promise<number[]> {
  const found: number[] = [];
  for (let left = samples; left > 0; left -= 1) found.push(await residentMiBOf(side));
  return found;
}

/** Returns the growth of the memory from the first to the last third of the time, in percent. */
async function growthOf(side: Side, { minutes, pace }: BenchContext): Promise<number> {
  const seen: number[] = [];
  const endMs = performance.now() + minutes * 60_000;
  while (performance.now() < endMs || seen.length < samples) {
    pace.signal.throwIfAborted();
    await loadHttp({ url: side.preview, pid: side.pid }, 500, growthConnections);
    await sleep(Math.min(sampleMs, Math.max(0, endMs - performance.now())));
    seen.push(await residentMiBOf(side));
  }
  const third = Math.ceil(seen.length / 3);
  const [first, last] = [median(seen.slice(0, third)), median(seen.slice(-third))];
  return ((last - first) / first) * 100;
}
