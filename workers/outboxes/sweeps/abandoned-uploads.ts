import type { ObjectStore } from '../../../activities/storage/object-store.ts';
import type { Db } from '../../../db/client.ts';
import { forgetUploads, takeCutUploads } from '../../../db/queries/evidence-uploads.ts';
import type { Outbox } from '../relay.ts';
import { sweep, type SweepDeps } from '../sweep.ts';

interface UploadDeps extends SweepDeps {
  readonly db: Db;
  readonly kept: { readonly store: Pick<ObjectStore, 'erase'> };
}

/** Concurrent requests to the object store. */
const removedAtOnce = 50;
/** Far longer than a request may last: by then the upload has finished or its process has died. */
const cutAfterMs = 10 * 60_000;

/**
 * Removes objects of uploads that failed before their row was written. Erases the object with its
 * versions first, then the note of the upload. If the store fails, the note stays for a later
 * round.
 */
export function abandonedUploads(deps: UploadDeps): Outbox {
  return sweep(deps, async (now, lengthMax) => {
    const before = new Date(now.getTime() - cutAfterMs);
    const limits = { now, before, lengthMax: Math.min(lengthMax, removedAtOnce) };
    const cut = await takeCutUploads(deps.db, limits);
    const removed = await Promise.allSettled(
      cut.map(async (each) => (each.is_kept ? undefined : deps.kept.store.erase(each.object_key))),
    );
    const gone = cut.filter((_, place) => removed[place]?.status === 'fulfilled');
    await forgetUploads(
      deps.db,
      gone.map(({ object_key }) => object_key),
    );
    const failed = removed.find(({ status }) => status === 'rejected');
    if (failed?.status === 'rejected') throw failed.reason;
    return cut.length === removedAtOnce ? lengthMax : cut.length;
  });
}
