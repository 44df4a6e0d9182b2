import { retryAfterThreadLoss } from '../../runtime/threads/retry-after-loss.ts';
import type { takeFaces } from './read.ts';

type ReadInput = Parameters<typeof takeFaces>[0];
type ReadResult = Awaited<ReturnType<typeof takeFaces>>;

/**
 * Runs `takeFaces` in a thread. Returns null for frames that end their thread every time, while the
 * portrait alone is read.
 * @throws ThreadLost when a thread is lost for another reason. If that persists, a reviewer
 * decides.
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
