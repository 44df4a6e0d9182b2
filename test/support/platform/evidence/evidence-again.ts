import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { TestPlatform } from '../harness.ts';
import type { Share } from './evidence-thread.ts';

/**
 * One per processor. The tests are over by then, and photographs and faces are most of the work.
 */
const threads = 2;

/**
 * Judges the stored evidence of every check of a run again, from the files that an auditor
 * receives.
 * @throws an error that lists every submission with a different result
 */
export async function expectSameVerdicts({ facts, keys }: TestPlatform): Promise<void> {
  const secrets = { dataKeys: keys.secret('data-keys'), blindIndex: keys.secret('blind-index') };
  const numbers = Array.from({ length: threads }, (_, number) => number);
  const faults = await Promise.all(
    numbers.map(async (number) => {
      const share: Share = { databaseUrl: facts.databaseUrl, secrets, number, of: threads };
      const thread = new Worker(new URL('./evidence-thread.ts', import.meta.url), {
        workerData: share,
      });
      const [found] = (await once(thread, 'message')) as [string[]];
      return found;
    }),
  );
  if (faults.flat().length > 0) {
    throw new Error(`judged otherwise again:\n${faults.flat().join('\n')}`);
  }
}
