import { createHash } from 'node:crypto';
import { transaction } from '../../db/client.ts';
import { findAffidavit, type AffidavitRow } from '../../db/queries/affidavits.ts';
import { putOffRenewal, renewAffidavit } from '../../db/queries/renewals.ts';
import { lookAgainMs, renewalTimeOf } from '../../domain/affidavit/verify/renewal-time.ts';
import { chainOf, signedIn } from '../../domain/affidavit/verify/take-signatures.ts';
import type { AffidavitVerdict } from '../../domain/affidavit/verify/verdict.ts';
import { archiveAffidavit, type ValidationData } from '../../domain/pdf/signature/archive.ts';
import { Failure } from '../../workflows/failures.ts';
import type { RenewalDeps } from './activities.ts';
import { affidavitKeyOf, hasRevokedKeys, isSound, judged, type JudgedFile } from './issue.ts';
import { recheck } from './recheck.ts';
import { dataClearing } from './validation-data.ts';

/** `kept`: the affidavit is not due after all, or another process renewed it. */
export type Renewal = 'renewed' | 'waiting' | 'kept';

/** What a renewal lacks: CRLs, a time-stamping authority, a key that lives longer, a restart. */
type Lack = 'lists_missing' | 'authority_missing' | 'key_ends_too_soon' | 'keys_outdated';

type StoredRow = AffidavitRow & { readonly affidavit_key: string; readonly sha256: string };

/** Maximum versions to try: a store may damage any file. */
const triesMax = 9;

/**
 * Archives one affidavit that is due, again or for the first time. The stored file with one more
 * archive is stored under the key of the next version, and then entered in the manifest. After a
 * crash, or beside another run, it finds that file and uses it.
 * @throws Failure `affidavit_invalid` for a file that does not verify, which is left as it is
 * @throws any other error while a dependency is unavailable
 */
export async function renewArchive(deps: RenewalDeps, affidavitId: string): Promise<Renewal> {
  const now = deps.clock();
  const row = await findAffidavit(deps.db, affidavitId);
  if (!isStored(row) || !row.renew_at || row.renew_at > now) return 'kept';
  // Verifying files that cannot be archived would take a second of CPU for each of them every hour.
  if (!deps.stamps.own && !row.recheck_since) return wait(deps, row, 'authority_missing');
  // Only a process with the new keys has the current list of stolen keys.
  if (row.recheck_since && (await hasRevokedKeys(deps))) return wait(deps, row, 'keys_outdated');
  const before = await storedFile(deps, row);
  const { facts } = before.verdict;
  const found = row.recheck_since ? await recheck(deps, before.pdf) : 'due';
  if (found === 'lists_missing') return wait(deps, row, found);
  const isListed = found === 'listed';
  if (isListed && facts.pades_level !== 'PAdES-B-LTA') {
    // A first archive would include CRLs that list the seal's key.
    await putOffRenewal(deps.db, row, null, 'seal_listed');
    return 'kept';
  }
  const dueAt = renewalTimeOf(facts, now);
  const isDue = facts.pades_level !== 'PAdES-B-LTA' || (dueAt !== null && dueAt <= now);
  if (!isDue && !isListed) {
    await putOffRenewal(deps.db, row, dueAt, null);
    return 'kept';
  }
  const next = await nextFile(deps, row, { ...before, isListed });
  if (typeof next === 'string') return wait(deps, row, next, found === 'untouched');
  const { pdf, verdict, ...place } = next;
  const isWritten = await transaction(deps.db, (tx) =>
    renewAffidavit(tx, {
      ...place,
      affidavit_id: affidavitId,
      link_session_id: row.link_session_id,
      sha256Before: row.sha256,
      recheckBefore: row.recheck_since,
      sha256: verdict.facts.sha256,
      size_bytes: pdf.length,
      pades_level: String(verdict.facts.pades_level),
      renewed_at: now,
      renew_at: renewalTimeOf(verdict.facts, now),
    }),
  );
  return isWritten ? 'renewed' : 'kept';
}

/** @param isJudged whether the theft does not affect the file, so that it is not rechecked */
async function wait(
  deps: RenewalDeps,
  row: StoredRow,
  lack: Lack,
  isJudged = false,
): Promise<'waiting'> {
  const { affidavit_id } = row;
  deps.log.warn({ affidavit_id, reason_code: lack }, 'an affidavit waits to be archived');
  const again = new Date(deps.clock().getTime() + lookAgainMs.waiting);
  await putOffRenewal(deps.db, row, again, lack, isJudged);
  return 'waiting';
}

function isStored(row: AffidavitRow | null): row is StoredRow {
  return row?.status === 'available' && row.affidavit_key !== null && row.sha256 !== null;
}

/**
 * Returns the file of the manifest.
 * @throws Failure `affidavit_invalid` when it is missing, has another hash, or does not verify
 */
async function storedFile(deps: RenewalDeps, row: StoredRow): Promise<JudgedFile> {
  const pdf = await deps.store.get(row.affidavit_key);
  if (!pdf) throw new Failure('affidavit_invalid', { detail: 'file_missing' });
  if (createHash('sha256').update(pdf).digest('hex') !== row.sha256) {
    throw new Failure('affidavit_invalid', { detail: 'file_differs' });
  }
  const file = await judged(deps, pdf);
  if (isSound(file.verdict)) return file;
  throw new Failure('affidavit_invalid', { detail: String(file.verdict.reason_code) });
}

interface FileBefore extends JudgedFile {
  /** Whether its seal's key was stolen later, so that any current archive adds proof. */
  readonly isListed: boolean;
}

interface NextFile extends JudgedFile {
  readonly affidavit_key: string;
  readonly version: number;
}

/** Returns the first next version that verifies and extends the file before; makes it if absent. */
async function nextFile(
  deps: RenewalDeps,
  row: StoredRow,
  before: FileBefore,
): Promise<NextFile | Lack> {
  for (let version = row.version + 1; version <= row.version + triesMax; version += 1) {
    const affidavit_key = affidavitKeyOf(row, version);
    const found = await deps.store.get(affidavit_key);
    const next = found
      ? await judged(deps, found)
      : await archiveAndStore(deps, before, affidavit_key);
    if (typeof next === 'string') return next;
    if (follows(next, before)) return { ...next, affidavit_key, version };
  }
  throw new Failure('affidavit_invalid', { detail: 'next_files_damaged' });
}

/** Reports whether a file is the one before, plus an archive that proves it for longer. */
function follows({ pdf, verdict }: JudgedFile, before: FileBefore): boolean {
  const begins = Buffer.from(pdf.subarray(0, before.pdf.length)).equals(before.pdf);
  return begins && pdf.length > before.pdf.length && isProvenLonger(verdict, before);
}

function isProvenLonger(verdict: AffidavitVerdict, { verdict: before, isListed }: FileBefore) {
  const { pades_level: level, proven_until: until = '' } = verdict.facts;
  if (verdict.result !== 'valid' || level !== 'PAdES-B-LTA') return false;
  // Both are ISO instants, so they compare as text.
  return (
    isListed || before.facts.pades_level !== level || until > (before.facts.proven_until ?? '')
  );
}

/**
 * Archives and stores the file. With two concurrent writers the first wins, and both use its file.
 * @throws Failure `affidavit_invalid` when the new file does not verify
 */
async function archiveAndStore(
  deps: RenewalDeps,
  before: FileBefore,
  key: string,
): Promise<JudgedFile | Lack> {
  const { db, keys, clock, stamps } = deps;
  const until = before.verdict.facts.proven_until ?? '';
  const isAgain = !before.isListed && before.verdict.facts.pades_level === 'PAdES-B-LTA';
  const { own } = stamps;
  if (!own) return 'authority_missing';
  if (isAgain && ownEndsAt(deps) <= until) return 'key_ends_too_soon';
  const { seal, token, last } = signedIn(before.pdf);
  // Validation data of an archive: for the last time stamp, or for the first the seal and its
  // stamp.
  const besides: ValidationData | null =
    last || !token ? { certificates: [], crls: [] } : await stamps.validationOf(token);
  if (!besides) return 'lists_missing';
  const isOwn = token !== null && besides.certificates.length === 0;
  const certificates = last ? chainOf(last) : [...chainOf(seal), ...(isOwn ? chainOf(token) : [])];
  const needs = { db, keys, now: clock() };
  const data = await dataClearing(needs, certificates, besides);
  if (!data) return 'lists_missing';
  const made = await judged(deps, await archiveAffidavit(before.pdf, data, own));
  if (!follows(made, before)) {
    throw new Failure('affidavit_invalid', { detail: String(made.verdict.reason_code) });
  }
  const object = { key, body: made.pdf, contentType: 'application/pdf', ifAbsent: true };
  try {
    await deps.store.put(object);
    return made;
  } catch (error) {
    const stored = await deps.store.get(key);
    if (!stored) throw error;
    return judged(deps, stored);
  }
}

/** Returns the instant when the chain of our own time stamps expires. */
function ownEndsAt({ keys: { tsa, servicesCa, root } }: RenewalDeps): string {
  const ends = [tsa, servicesCa, root].map(({ certificate }) => certificate.validToDate.getTime());
  return new Date(Math.min(...ends)).toISOString();
}
