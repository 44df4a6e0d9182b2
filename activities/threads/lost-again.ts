import { attempt } from './attempt.ts';
import { ThreadLost } from './pool.ts';

/** Attempts that may lose their thread. */
const lostMax = 2;

/** What a thread was asked for, or null once that ends threads: a first may for others' sake. */
export async function unlessLostAgain<Value>(work: Promise<Value>): Promise<Value | null> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof ThreadLost && (attempt.getStore() ?? 1) >= lostMax) return null;
    throw error;
  }
}
