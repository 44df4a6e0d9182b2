import { retryAfterThreadLoss } from '../../runtime/threads/retry-after-loss.ts';
import type { takeFaces } from './read.ts';

type ReadInput = Parameters<typeof takeFaces>[0];
type ReadResult = Awaited<ReturnType<typeof takeFaces>>;

/**
 * As `takeFaces`, in a thread. Null for frames that end their thread whenever they are read, while
 * the portrait alone is read by one as it should. Else it throws `ThreadLost` as often as one is
 * lost, and a check whose judge stays away is left to a person.
 */
export function readFacesInThread(
  heavy: { readonly takeFaces: typeof takeFaces },
  given: ReadInput,
): Promise<ReadResult | null> {
  return retryAfterThreadLoss(
    () => heavy.takeFaces(given),
    () => heavy.takeFaces({ portrait: given.portrait, frames: [] }),
  );
}
