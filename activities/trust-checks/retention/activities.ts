import type { Logger } from 'pino';
import { isDatabaseUnavailable } from '../../../db/connection-errors.ts';
import { lockedTransaction, type Db, type Tx } from '../../../db/client.ts';
import { lockAffidavit, type AffidavitRow } from '../../../db/queries/affidavits.ts';
import { ping } from '../../../db/queries/ping.ts';
import { appendAudit } from '../../../db/queries/audit.ts';
import { markEvidenceRemoved } from '../../../db/queries/evidence.ts';
import { removeEvidenceImages } from '../../../db/queries/evidence-files.ts';
import { listPhotos, removePhotos } from '../../../db/queries/photos.ts';
import {
  listDueChecks,
  markImagesRemoved,
  shortenRetention,
  type DueCheck,
} from '../../../db/queries/retention.ts';
import { lockTrustCheck, type TrustCheckRow } from '../../../db/queries/trust-checks.ts';
import { Failure } from '../../../workflows/failures.ts';
import type { RetentionPlace, RetentionStep } from '../../../workflows/retention/messages.ts';
import type { EvidenceStore } from '../../proofs/evidence/store.ts';
import { throwIfCanceled } from '../../runtime/cancellation.ts';
import type { ObjectStore } from '../../storage/object-store.ts';

export interface RetentionActivities {
  removeDueImages(input: { readonly after: RetentionPlace }): Promise<RetentionStep>;
}

/** Numbers of removed objects, by kind. */
export interface Removed {
  readonly files: number;
  readonly images: number;
  readonly photos: number;
}

export interface RetentionDeps {
  readonly db: Db;
  readonly evidence: Pick<EvidenceStore, 'erase'>;
  readonly store: Pick<ObjectStore, 'erase' | 'health'>;
  readonly clock: () => Date;
  readonly log: Pick<Logger, 'error'>;
  readonly count: (removed: Removed | 'failed') => void;
}

/** Actor in the audit log. */
const actor = 'retention';
const checksMax = 50;
const shortenedMax = 10_000;
/** Checks in parallel. Each waits for the store. */
const concurrentMax = 4;
/** A step ends well before its timeout, even with a slow store. */
const stepMsMax = 120_000;
const unfinishedAffidavits = new Set(['pending', 'signing']);

/** Returns the activity that removes images and uploaded files of due checks. */
export function createRetentionActivities(deps: RetentionDeps): RetentionActivities {
  return { removeDueImages: ({ after }) => removeNext(deps, after) };
}

/**
 * Removes the images of the next due checks, several in parallel, each in its own transactions, so
 * a step can be repeated. A check that fails is logged, counted, and left for the next round. The
 * step itself fails only if the database or the store is unavailable. If they are slow, it ends
 * early and returns how far it came.
 */
async function removeNext(deps: RetentionDeps, after: RetentionPlace): Promise<RetentionStep> {
  const from = { ...after, decided_at: new Date(after.decided_at) };
  const begunAt = deps.clock();
  if (after.link_session_id === '') await shorten(deps, begunAt);
  const due = await listDueChecks(deps.db, begunAt, from, checksMax);
  let [checks, failed, done] = [0, 0, 0];
  while (done < due.length && deps.clock().getTime() - begunAt.getTime() < stepMsMax) {
    const some = due.slice(done, done + concurrentMax);
    const removed = await Promise.all(some.map((check) => removeOrReport(deps, check)));
    checks += removed.filter((each) => each === true).length;
    failed += removed.filter((each) => each === 'failed').length;
    done += some.length;
  }
  const last = due[done - 1];
  if (!last) return { after, checks, failed, is_done: true };
  const place = {
    decided_at: last.decided_at.toISOString(),
    link_session_id: last.link_session_id,
  };
  return { after: place, checks, failed, is_done: done === due.length && done < checksMax };
}

/** Runs once per round. If it fails, the round still removes the images that are due already. */
async function shorten(deps: RetentionDeps, now: Date): Promise<void> {
  try {
    await shortenRetention(deps.db, now, shortenedMax);
  } catch (err) {
    throwIfCanceled();
    if (isDatabaseUnavailable(err)) throw err;
    deps.log.error({ err }, 'days of retention were not lowered');
    deps.count('failed');
  }
}

/** Returns whether there was anything to remove, or `failed` if this check cannot be removed. */
async function removeOrReport(deps: RetentionDeps, check: DueCheck): Promise<boolean | 'failed'> {
  try {
    return await removeOf(deps, check);
  } catch (err) {
    throwIfCanceled();
    const isStore = err instanceof Failure && err.code === 'dependency_unavailable';
    // A single object or row may fail forever. The health check shows whether the service is down.
    if (isStore) await deps.store.health();
    else if (isDatabaseUnavailable(err)) await ping(deps.db, []);
    deps.log.error({ err, link_session_id: check.link_session_id }, 'images were not removed');
    deps.count('failed');
    return 'failed';
  }
}

/**
 * Removes the images of one check, under the locks of a redaction, so that they run one after the
 * other and the second finds nothing. Objects are removed between two transactions, since a slow
 * store would hold the lock and a connection. A process that dies in between leaves rows without
 * files; the next round removes and reports them. Returns whether there was anything to remove, and
 * records its hashes in the audit log.
 */
async function removeOf(deps: RetentionDeps, due: DueCheck): Promise<boolean> {
  const { link_session_id: id, account_id } = due;
  const found = await lockedTransaction(deps.db, lockOf(id), (tx, locked) =>
    findObjects(tx, id, locked),
  );
  if (!found) return false;
  // A check that was never paired has no files.
  if (found.isPaired) await deps.evidence.erase(id);
  await Promise.all(found.photos.map((key) => deps.store.erase(key)));
  const removed = await lockedTransaction(deps.db, lockOf(id), async (tx, locked) => {
    if (!isOpen(locked)) return null;
    const now = deps.clock();
    const files = await markEvidenceRemoved(tx, id, now);
    const images = await removeEvidenceImages(tx, id, now);
    const photos = await removePhotos(tx, id);
    await markImagesRemoved(tx, id, now);
    if (files.length + images.length + photos.length === 0) return null;
    const hashes = {
      files: files.map(({ sha256 }) => sha256),
      images: images.map(({ sha256 }) => sha256),
    };
    const details = { days: found.days, ...hashes, photos: photos.length };
    const entry = { accountId: account_id, objectId: id, details };
    await appendAudit(tx, { ...entry, action: 'trust_check.images_removed', actor }, now);
    return { files: files.length, images: images.length, photos: photos.length };
  });
  if (removed) deps.count(removed);
  return removed !== null;
}

interface Locked {
  readonly affidavit: AffidavitRow | null;
  readonly check: TrustCheckRow | null;
}

const lockOf =
  (id: string) =>
  async (tx: Tx): Promise<Locked> => {
    const affidavit = await lockAffidavit(tx, id);
    return { affidavit, check: await lockTrustCheck(tx, id) };
  };

/** Whether the images still exist, and no affidavit is being made of them. */
const isOpen = ({ affidavit, check }: Locked): boolean =>
  check?.images_removed_at === null && !(affidavit && unfinishedAffidavits.has(affidavit.status));

/** Returns a check's objects in the store; null if removed, or while its affidavit is issued. */
async function findObjects(
  tx: Tx,
  id: string,
  locked: Locked,
): Promise<{ days: number | null; isPaired: boolean; photos: string[] } | null> {
  const { check } = locked;
  if (!check || !isOpen(locked)) return null;
  const { image_retention_days: days, paired_at } = check;
  return { days, isPaired: paired_at !== null, photos: await listPhotos(tx, id) };
}
