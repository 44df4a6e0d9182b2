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

/** What was removed, by kind, for who counts it. */
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

/** Who removes, in the audit log. */
const actor = 'retention';
const checksMax = 50;
const shortenedMax = 10_000;
/** Removed at a time: each waits for the store. */
const concurrentMax = 4;
/** A step ends well before its time-out, however slow the store is. */
const stepMsMax = 120_000;
const unfinishedAffidavits = new Set(['pending', 'signing']);

/** Removes images and uploaded files of checks that are due. */
export function createRetentionActivities(deps: RetentionDeps): RetentionActivities {
  return { removeDueImages: ({ after }) => removeNext(deps, after) };
}

/**
 * The next checks that are due, some side by side, each in transactions of its own, so that a step
 * may be repeated. A check whose images cannot be removed is logged, counted, and left for the next
 * round; those behind it go on. Only while the database or the store is away is the step tried
 * again; where they are slow it ends early, at the place to which it came.
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

/** Whether there was anything; `failed` where this check alone cannot be removed. */
async function removeOrReport(deps: RetentionDeps, check: DueCheck): Promise<boolean | 'failed'> {
  try {
    return await removeOf(deps, check);
  } catch (err) {
    throwIfCanceled();
    const isStore = err instanceof Failure && err.code === 'dependency_unavailable';
    // One object, or one row, may be refused for ever while all others go: these two know.
    if (isStore) await deps.store.health();
    else if (isDatabaseUnavailable(err)) await ping(deps.db, []);
    deps.log.error({ err, link_session_id: check.link_session_id }, 'images were not removed');
    deps.count('failed');
    return 'failed';
  }
}

/**
 * Removes the images of one check, under the locks of a redaction: the two come one after the
 * other, and the second finds nothing. Objects go between two transactions, for a slow store would
 * hold a check and its connection: what was found due then goes, and a process that dies in between
 * leaves rows whose files are gone, which the next round removes and tells of. Gives whether there
 * was anything to remove, which then stands in the audit log by its hashes.
 */
async function removeOf(deps: RetentionDeps, due: DueCheck): Promise<boolean> {
  const { link_session_id: id, account_id } = due;
  const found = await lockedTransaction(deps.db, lockOf(id), (tx, locked) =>
    findObjects(tx, id, locked),
  );
  if (!found) return false;
  // What was never paired has taken no file.
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

/** Whether its images are still there, and nothing is made of them. */
const isOpen = ({ affidavit, check }: Locked): boolean =>
  check?.images_removed_at === null && !(affidavit && unfinishedAffidavits.has(affidavit.status));

/** What of a check lies in the store; null if it was removed, or its affidavit is being issued. */
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
