import { attempt } from '../threads/attempt.ts';
import type { HeavyWork } from '../threads/heavy-work.ts';
import { ThreadLost } from '../threads/pool.ts';
import type { takeFaces } from './read.ts';

/** Attempts that lose their thread before anybody's frames are blamed. */
const lostMax = 3;

type Given = Parameters<typeof takeFaces>[0];
type Taken = Awaited<ReturnType<typeof takeFaces>>;

/**
 * As `takeFaces`, in a thread. Null for frames that end their thread whenever they are read, while
 * the portrait alone is read by one as it should. Else it throws `ThreadLost` as often as one is
 * lost: a machine too busy, or one on which nothing is read, is nobody's fault, and a check whose
 * judge stays away is left to a person.
 */
export async function takeInThread(
  heavy: Pick<HeavyWork, 'takeFaces'>,
  given: Given,
): Promise<Taken | null> {
  try {
    return await heavy.takeFaces(given);
  } catch (error) {
    const isCrash = error instanceof ThreadLost && !error.isLate;
    if (!isCrash || (attempt.getStore() ?? 1) < lostMax) throw error;
    await heavy.takeFaces({ portrait: given.portrait, frames: [] });
    return null;
  }
}
