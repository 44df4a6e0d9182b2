import { availableParallelism, loadavg } from 'node:os';
import { inspect } from 'node:util';
import type { Surroundings } from './report.ts';

export function surroundings(): Surroundings {
  return { node: process.version, cores: availableParallelism(), load: loadavg()[0] ?? 0 };
}

/** Runs a bench until it is done, interrupted or over time, and returns the exit code. */
export async function bounded(
  msMax: number,
  work: (signal: AbortSignal) => Promise<void>,
): Promise<number> {
  const ending = new AbortController();
  const end = (why: string) => () => ending.abort(new Error(why));
  process.once('SIGINT', end('interrupted'));
  process.once('SIGTERM', end('interrupted'));
  const timer = setTimeout(end(`not done after ${msMax / 1000} s`), msMax);
  try {
    await work(ending.signal);
    return 0;
  } catch (error) {
    const why = ending.signal.aborted ? ending.signal.reason : error;
    process.stderr.write(`stopped: ${inspect(why)}\n`);
    return 1;
  } finally {
    clearTimeout(timer);
  }
}
