import { Agent, request } from 'undici';
import { cpuMsOf } from '../measure/procfs.ts';
import { quantile } from '../measure/statistics.ts';

export interface HttpRound {
  readonly cpuUsPerRequest: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

export interface LoadRequest {
  readonly method: 'GET' | 'POST';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/**
 * Sends `count` requests over `connections` kept-alive connections, and reads the CPU time of the
 * server. `requestAt` returns the request of each place, or nothing for a plain GET.
 */
export async function loadHttp(
  target: { url: string; pid: number },
  count: number,
  connections: number,
  requestAt: (place: number) => LoadRequest | undefined = () => undefined,
): Promise<HttpRound> {
  const { url, pid } = target;
  const agent = new Agent({ connections, pipelining: 1 });
  const latencies: number[] = [];
  let left = count;
  const before = cpuMsOf(pid);
  const lane = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      const own = requestAt(left);
      const started = performance.now();
      const { statusCode, body } = await request(url, { dispatcher: agent, ...own });
      await body.dump();
      if (statusCode !== 200) throw new Error(`${url} answered ${statusCode}`);
      latencies.push(performance.now() - started);
    }
  };
  try {
    await Promise.all(Array.from({ length: connections }, lane));
  } finally {
    await agent.destroy();
  }
  const cpuUsPerRequest = ((cpuMsOf(pid) - before) * 1000) / count;
  return { cpuUsPerRequest, p50Ms: quantile(latencies, 0.5), p99Ms: quantile(latencies, 0.99) };
}
