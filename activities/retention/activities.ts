import type { Logger } from 'pino';
import { isDatabaseAway } from '../../db/away.ts';
import { lockedTransaction, type Db, type Tx } from '../../db/client.ts';
import { findAccount } from '../../db/queries/accounts.ts';
import { lockAffidavit } from '../../db/queries/affidavits.ts';
import { appendAudit } from '../../db/queries/audit.ts';
import { markEvidenceRemoved } from '../../db/queries/evidence.ts';
import { removeEvidenceImages } from '../../db/queries/kept-evidence.ts';
import { removePhotos } from '../../db/queries/photos.ts';
import {
  listDueChecks,
  listStoredWhole,
  markImagesRemoved,
  storeApart,
  type DueCheck,
} from '../../db/queries/retention.ts';
import { lockTrustCheck, type TrustCheckRow } from '../../db/queries/trust-checks.ts';
import { accountOwner, type Sealer } from '../../db/sealed.ts';
import { Failure } from '../../workflows/failures.ts';
import type { RetentionPlace, RetentionStep } from '../../workflows/retention/messages.ts';
import type { EvidenceStore } from '../evidence/evidence-store.ts';
import {
  openClaims,
  openFiles,
  sealEvidence,
  type SealedEvidence,
} from '../evidence/kept-evidence.ts';
import type { ObjectStore } from '../storage/object-store.ts';

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
  readonly sealer: Sealer;
  readonly evidence: Pick<EvidenceStore, 'erase'>;
  readonly store: Pick<ObjectStore, 'erase'>;
  readonly clock: () => Date;
  readonly log: Pick<Logger, 'error'>;
  readonly count: (removed: Removed | 'failed') => void;
}

/** Who removes, in the audit log. */
const actor = 'retention';
const checksMax = 50;
const dayMs = 86_400_000;
const inTheMaking = new Set(['pending', 'signing']);

/** Removes images and uploaded files that were kept as long as their accounts have it. */
export function createRetentionActivities(deps: RetentionDeps): RetentionActivities {
  return { removeDueImages: ({ after }) => removeNext(deps, after) };
}

/**
 * The next checks that are due, each in a transaction of its own, so that a step may be repeated.
 * A check whose images cannot be removed is logged, counted, and left for the next round; those
 * behind it go on. While a store is away the step is tried again.
 */
async function removeNext(deps: RetentionDeps, after: RetentionPlace): Promise<RetentionStep> {
  const from = { ...after, decided_at: new Date(after.decided_at) };
  const due = await listDueChecks(deps.db, deps.clock(), from, checksMax);
  let [checks, failed] = [0, 0];
  for (const check of due) {
    try {
      if (await removeOf(deps, check)) checks += 1;
    } catch (err) {
      const isStoreAway = err instanceof Failure && err.code === 'dependency_unavailable';
      if (isStoreAway || isDatabaseAway(err)) throw err;
      deps.log.error({ err, link_session_id: check.link_session_id }, 'images were not removed');
      deps.count('failed');
      failed += 1;
    }
  }
  const last = due.at(-1);
  if (!last || due.length < checksMax) return { after, checks, failed, is_done: true };
  const place = { ...last, decided_at: last.decided_at.toISOString() };
  return { after: place, checks, failed, is_done: false };
}

/**
 * Removes the images of one check, under the locks of a redaction: the two come one after the
 * other, and the second finds nothing. Objects go before the commit: a process that dies in between
 * leaves rows whose files are gone, and the next round removes and tells of them. Gives whether
 * there was anything to remove, which then stands in the audit log by its hashes.
 */
async function removeOf(deps: RetentionDeps, { link_session_id: id, account_id }: DueCheck) {
  const whole = await splitAhead(deps, account_id, id);
  const lock = async (tx: Tx) => {
    const affidavit = await lockAffidavit(tx, id);
    return [affidavit, await lockTrustCheck(tx, id)] as const;
  };
  return lockedTransaction(deps.db, lock, async (tx, [affidavit, check]) => {
    const now = deps.clock();
    const account = await findAccount(tx, account_id);
    // The account may keep them for longer since they were found.
    const isDue = check && account && isOver(check, account.image_retention_days, now);
    if (!isDue || (affidavit && inTheMaking.has(affidavit.status))) return false;
    for (const [submission, parts] of whole) await storeApart(tx, submission, parts);
    const files = await markEvidenceRemoved(tx, id, now);
    const images = await removeEvidenceImages(tx, id, now);
    const photos = await removePhotos(tx, id);
    await markImagesRemoved(tx, id, now);
    await Promise.all([deps.evidence.erase(id), ...photos.map((key) => deps.store.erase(key))]);
    const hasAny = files.length + images.length + photos.length > 0;
    if (!hasAny) return false;
    const hashes = {
      files: files.map(({ sha256 }) => sha256),
      images: images.map(({ sha256 }) => sha256),
    };
    const details = { days: account.image_retention_days, ...hashes, photos: photos.length };
    const entry = { accountId: account_id, objectId: id, details };
    await appendAudit(tx, { ...entry, action: 'trust_check.images_removed', actor }, now);
    return { files: files.length, images: images.length, photos: photos.length };
  }).then((removed) => {
    if (removed) deps.count(removed);
    return removed !== false;
  });
}

function isOver(check: TrustCheckRow, days: number, now: Date): boolean {
  const { decided_at: at, images_removed_at: removedAt } = check;
  return at !== null && removedAt === null && at.getTime() + days * dayMs <= now.getTime();
}

/** What was stored before images were kept apart, in its parts; sealed before any lock is held. */
async function splitAhead(
  { db, sealer }: RetentionDeps,
  accountId: number,
  sessionId: string,
): Promise<(readonly [string, SealedEvidence])[]> {
  const parts: (readonly [string, SealedEvidence])[] = [];
  for (const submissionId of await listStoredWhole(db, sessionId)) {
    const of = { accountId, submissionId };
    const kept = await openClaims({ db, sealer }, of);
    const stored = await openFiles({ db, sealer }, of);
    // Redacted since it was listed.
    if (!kept || !stored) continue;
    await sealer.prepare(accountOwner(accountId));
    parts.push([submissionId, await sealEvidence(sealer, of, stored.files, kept)]);
  }
  return parts;
}
