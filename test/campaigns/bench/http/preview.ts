import type { Bench, BenchContext } from '../measure/bench.ts';
import { startChild } from '../measure/child.ts';
import { compareHttp } from './compare-http.ts';

const requests = 6_000;
const goal = { cpu: 1.5, p99: 1.8 };

/** P1: a link preview as JSON, compared with Express with one prepared select. */
export const preview: Bench = { id: 'P1', rounds: 9, run };

async function run(context: BenchContext) {
  const { platform, call } = context;
  const { facts } = platform;
  const { link_uuid } = await call<{ link_uuid: string }>('PUT', `/v2/${facts.own.app_id}`, {
    token: facts.own.api_key,
    body: {},
  });
  const floor = await startChild('floors/preview.ts', { DATABASE_URL: facts.databaseUrl });
  try {
    const { rounds, both } = await compareHttp(context, {
      floor: { url: `http://127.0.0.1:${floor.port}/v2/${link_uuid}`, pid: floor.pid },
      candidate: {
        url: `${facts.baseUrl}/v2/${link_uuid}?format_type=J`,
        pid: platform.api.child.pid ?? 0,
      },
      requests,
      warmUpRequests: 18_000,
      connections: 32,
    });
    return {
      id: 'P1',
      title: 'link preview JSON',
      extent: `${rounds} rounds of ${requests} requests`,
      measures: [
        {
          name: 'CPU a request',
          unit: 'µs',
          ...both('cpuUsPerRequest'),
          goal: { of: 'ratio', max: goal.cpu },
        },
        { name: 'p50', unit: 'ms', ...both('p50Ms') },
        { name: 'p99', unit: 'ms', ...both('p99Ms'), goal: { of: 'ratio', max: goal.p99 } },
      ],
      counts: [],
    } as const;
  } finally {
    await floor.stop();
  }
}
