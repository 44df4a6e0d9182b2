import type { ObjectStore } from '../../../activities/storage/object-store.ts';
import type { Db } from '../../../db/client.ts';
import { forgetPhotos, listExpiredPhotos } from '../../../db/queries/photos.ts';
import type { Outbox } from '../relay.ts';
import { sweep, type SweepDeps } from '../sweep.ts';

interface PhotoDeps extends SweepDeps {
  readonly db: Db;
  readonly kept: { readonly store: Pick<ObjectStore, 'remove'> };
}

/** Concurrent requests to the object store. */
const removedAtOnce = 50;

/**
 * Removes photos after their retention time. The object goes first, so that no image is left
 * without a row. If the store fails, the row stays for the next round.
 */
export function expiredPhotos(deps: PhotoDeps): Outbox {
  return sweep(deps, async (now, lengthMax) => {
    const expired = await listExpiredPhotos(deps.db, now, Math.min(lengthMax, removedAtOnce));
    const removed = await Promise.allSettled(
      expired.map(({ object_key }) => deps.kept.store.remove(object_key)),
    );
    const gone = expired.filter((_, place) => removed[place]?.status === 'fulfilled');
    await forgetPhotos(
      deps.db,
      gone.map(({ object_path }) => object_path),
    );
    const failed = removed.find(({ status }) => status === 'rejected');
    if (failed?.status === 'rejected') throw failed.reason;
    // A full batch may not be the last one.
    return expired.length === removedAtOnce ? lengthMax : expired.length;
  });
}
