import { unlessLostAgain } from '../../runtime/threads/lost-again.ts';
import type { takeFaces } from './read.ts';

type Given = Parameters<typeof takeFaces>[0];
type Taken = Awaited<ReturnType<typeof takeFaces>>;

/**
 * As `takeFaces`, in a thread. Null for frames that end their thread whenever they are read, while
 * the portrait alone is read by one as it should. Else it throws `ThreadLost` as often as one is
 * lost, and a check whose judge stays away is left to a person.
 */
export function takeInThread(
  heavy: { readonly takeFaces: typeof takeFaces },
  given: Given,
): Promise<Taken | null> {
  return unlessLostAgain(
    () => heavy.takeFaces(given),
    () => heavy.takeFaces({ portrait: given.portrait, frames: [] }),
  );
}
