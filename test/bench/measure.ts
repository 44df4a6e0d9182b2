import { readFileSync } from 'node:fs';
import { Agent, request } from 'undici';

const ticksPerSecond = 100;

export interface Round {
  readonly cpuUsPerRequest: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/** User and system time of a process so far, in microseconds (proc(5), fields 14 and 15). */
export function cpuUs(pid: number): number {
  const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return ((Number(fields[11]) + Number(fields[12])) / ticksPerSecond) * 1e6;
}

/** Sends `count` GETs over `connections` kept-alive connections and reads the server's own CPU. */
export async function load(
  url: string,
  pid: number,
  count: number,
  connections: number,
): Promise<Round> {
  const agent = new Agent({ connections, pipelining: 1 });
  const latencies: number[] = [];
  let left = count;
  const before = cpuUs(pid);
  const worker = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      const started = performance.now();
      const { statusCode, body } = await request(url, { dispatcher: agent });
      await body.dump();
      if (statusCode !== 200) throw new Error(`${url} answered ${statusCode}`);
      latencies.push(performance.now() - started);
    }
  };
  await Promise.all(Array.from({ length: connections }, worker));
  const spent = cpuUs(pid) - before;
  await agent.destroy();
  latencies.sort((a, b) => a - b);
  const at = (part: number): number => latencies[Math.floor(latencies.length * part)] ?? 0;
  return { cpuUsPerRequest: spent / count, p50Ms: at(0.5), p99Ms: at(0.99) };
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

/** The median of the ratios and its 95 % interval, by resampling the rounds. */
export function ratioOf(
  candidate: readonly number[],
  floor: readonly number[],
  random: () => number = Math.random,
): { median: number; low: number; high: number; isNoisy: boolean } {
  const ratios = candidate.map((value, index) => value / (floor[index] ?? Number.NaN));
  const resampled = Array.from({ length: 1000 }, () =>
    median(ratios.map(() => ratios[Math.floor(random() * ratios.length)] ?? 0)),
  ).sort((a, b) => a - b);
  const [least, most] = [Math.min(...floor), Math.max(...floor)];
  return {
    median: median(ratios),
    low: resampled[25] ?? 0,
    high: resampled[974] ?? 0,
    isNoisy: most / least > 1.25,
  };
}
