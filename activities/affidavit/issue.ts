import { createHash } from 'node:crypto';
import { transaction } from '../../db/client.ts';
import {
  failAffidavit,
  findAffidavit,
  freezeContent,
  publishAffidavit,
  type AffidavitRow,
} from '../../db/queries/affidavits.ts';
import { listStates } from '../../db/queries/certificates.ts';
import { appendEvents } from '../../db/queries/events.ts';
import { lockRevoked } from '../../db/queries/renewals.ts';
import { sessionEvent } from '../../db/queries/session-event.ts';
import { findTrustCheck } from '../../db/queries/trust-checks.ts';
import { accountOwner } from '../../db/sealing/sealed.ts';
import {
  affidavitContent,
  canonicalJson,
  contentSchema,
  type AffidavitContent,
} from '../../domain/affidavit/content.ts';
import { renewalTimeOf } from '../../domain/affidavit/verify/renewal-time.ts';
import { serialsIn, signedIn } from '../../domain/affidavit/verify/take-signatures.ts';
import type { AffidavitVerdict } from '../../domain/affidavit/verify/verdict.ts';
import { archiveAffidavit } from '../../domain/pdf/signature/archive.ts';
import { unsealed } from '../../domain/pdf/signature/empty-seal.ts';
import { sealAffidavit } from '../../domain/pdf/signature/seal.ts';
import { readCms } from '../../domain/pki/cms/read-cms.ts';
import { kidOf } from '../../domain/pki/x509/thumbprint.ts';
import { Failure } from '../../workflows/failures.ts';
import type { IssuedAffidavit } from '../../workflows/issue-affidavit/messages.ts';
import { rendererId } from '../pdf/renderer-id.ts';
import { measures } from '../runtime/measures.ts';
import { appendToLog } from '../transparency/append.ts';
import type { AffidavitDeps } from './activities.ts';
import { gatherContent } from './gather.ts';
import { validationDataOf } from './validation-data.ts';

/** Level of a seal without validation data. */
const unarchivedLevel = 'PAdES-B-T';
const versionMax = 9;

/**
 * Issues one affidavit: freezes the content, renders, seals, verifies, stores and publishes it. It
 * can run again after a crash: it reuses the frozen content and the file stored under the
 * affidavit's key.
 * @throws Failure `gone` when the check was redacted: nothing is left to attest, and the affidavit
 * ends as failed
 */
export async function issueAffidavit(
  deps: AffidavitDeps,
  affidavitId: string,
): Promise<IssuedAffidavit> {
  const row = await findAffidavit(deps.db, affidavitId);
  if (!row) throw new Error('the affidavit does not exist');
  const { status, sha256, pades_level } = row;
  if (status === 'available' && sha256 && pades_level) {
    return { affidavit_id: affidavitId, sha256, pades_level };
  }
  try {
    return await issue(deps, row);
  } catch (error) {
    if (error instanceof Failure && error.code === 'gone') await endRedacted(deps, row);
    throw error;
  }
}

async function issue(deps: AffidavitDeps, row: AffidavitRow): Promise<IssuedAffidavit> {
  const session = await findTrustCheck(deps.db, row.link_session_id);
  if (session?.redacted_at) throw new Failure('gone', { detail: 'The check was redacted' });
  const { pdf, verdict, ...place } = await storedFile(deps, row);
  const { sha256, json_sha256 = '', sealed_at, development = null } = verdict.facts;
  const { pades_level } = verdict.facts;
  if (!pades_level) throw new Failure('affidavit_invalid');
  const signed = signedIn(pdf);
  await publish(deps, row, serialsIn(signed), {
    ...place,
    sha256,
    base_sha256: createHash('sha256').update(unsealed(pdf)).digest('hex'),
    // Another process may have sealed it with another key.
    seal_kid: kidOf(readCms(signed.seal).signer),
    json_sha256,
    size_bytes: pdf.length,
    sealed_at: new Date(sealed_at ?? deps.clock()),
    development,
    pades_level,
    renew_at: renewalTimeOf(verdict.facts, deps.clock()),
  });
  return { affidavit_id: row.affidavit_id, sha256, pades_level };
}

/** Emits no event: the session already reports `failed`, else it could not be redacted. */
async function endRedacted(deps: AffidavitDeps, { affidavit_id }: AffidavitRow): Promise<void> {
  await transaction(deps.db, (tx) =>
    failAffidavit(tx, affidavit_id, 'affidavit_unmakeable', deps.clock()),
  );
}

/** Returns the object key of a version of an affidavit. */
export const affidavitKeyOf = (row: AffidavitRow, version: number): string =>
  `affidavits/${row.account_id}/${row.link_session_id}/${row.affidavit_id}/v${version}.pdf`;

interface StoredFile {
  readonly affidavit_key: string;
  readonly version: number;
  readonly pdf: Uint8Array;
  readonly verdict: AffidavitVerdict;
}

/**
 * Returns the first stored file of the affidavit that verifies, whichever build made it. Makes one
 * where no file exists. A file that does not verify (the store damaged it) is left as it is, and
 * the next version replaces it.
 * @throws Failure `affidavit_invalid`
 */
async function storedFile(deps: AffidavitDeps, row: AffidavitRow): Promise<StoredFile> {
  for (let version = 1; version <= versionMax; version += 1) {
    const affidavit_key = affidavitKeyOf(row, version);
    const found = await deps.store.get(affidavit_key);
    const { pdf, verdict } = found
      ? await judged(deps, found)
      : await sealAndStore(deps, row, affidavit_key);
    if (isSound(verdict) && verdict.facts.affidavit_id === row.affidavit_id) {
      return { affidavit_key, version, pdf, verdict };
    }
  }
  throw new Failure('affidavit_invalid', { detail: `none of ${versionMax} files verifies` });
}

/** Valid, or indeterminate only for missing CRLs, which a verifier can supply. */
export const isSound = ({ result, reason_code }: AffidavitVerdict): boolean =>
  result === 'valid' || reason_code === 'revocation_unknown';

/** A file with its verdict. Verifying costs as much as rendering. */
export type JudgedFile = Pick<StoredFile, 'pdf' | 'verdict'>;

/** Verifies a file against our roots and those of outside time-stamping authorities. */
export async function judged(
  deps: Pick<AffidavitDeps, 'keys' | 'stamps' | 'heavy' | 'clock'>,
  pdf: Uint8Array,
  lists: readonly Uint8Array[] = [],
): Promise<JudgedFile> {
  const roots = [deps.keys.root.certificate];
  const { roots: tsaRoots } = deps.stamps;
  const besides = { tsaRoots, lists };
  const verdict = await deps.heavy.verifyAffidavit(pdf, roots, deps.clock(), besides);
  return { pdf, verdict };
}

/**
 * Renders, seals and stores a file that verifies. With two concurrent writers the first wins, and
 * both use its file.
 * @throws Failure `affidavit_invalid` when the new file does not verify
 */
async function sealAndStore(
  deps: AffidavitDeps,
  row: AffidavitRow,
  key: string,
): Promise<JudgedFile> {
  const rendered = await deps.heavy.renderAffidavit(await frozenContent(deps, row));
  await refuseRevokedKeys(deps);
  let token: Buffer | null = null;
  const stamp = async (imprint: Uint8Array) => (token = await deps.stamps.stamp(imprint));
  const sealed = await sealAffidavit(rendered, deps.keys.seal, { stamp });
  const archived = await archivedOf(deps, sealed, token);
  const made = await judged(deps, archived);
  const { reason_code } = made.verdict;
  if (!isSound(made.verdict)) {
    throw new Failure('affidavit_invalid', { detail: String(reason_code) });
  }
  try {
    await deps.store.put({ key, body: archived, contentType: 'application/pdf', ifAbsent: true });
    return made;
  } catch (error) {
    const stored = await deps.store.get(key);
    if (!stored) throw error;
    return judged(deps, stored);
  }
}

/** Reports whether a key of this process was revoked since the process started. */
export async function hasRevokedKeys({
  db,
  keys,
  stamps,
}: Pick<AffidavitDeps, 'db' | 'keys' | 'stamps'>): Promise<boolean> {
  const { seal, tsa, tokens, servicesCa } = keys;
  // The token key signs the claims inside the affidavit.
  const used = stamps.own ? [seal, tokens, tsa] : [seal, tokens];
  const serials = used.map(({ certificate }) => certificate.serialNumber.toLowerCase());
  const states = await listStates(db, servicesCa.kid, serials);
  return states.some(({ revoked_at }) => revoked_at);
}

/** @throws Failure `dependency_unavailable`, so that a process with the new keys does the work */
async function refuseRevokedKeys(deps: AffidavitDeps): Promise<void> {
  if (!(await hasRevokedKeys(deps))) return;
  deps.log.error(
    'this process holds a revoked seal, token or time-stamping key: restart it with the new ones',
  );
  throw new Failure('dependency_unavailable', { detail: 'a key of this process was revoked' });
}

/**
 * Archives the file to B-LTA where the validation data is available. Otherwise the file stays as it
 * is, and the operator is notified. The time stamp over the whole file is always our own, whichever
 * authority stamped the seal.
 */
async function archivedOf(
  { db, keys, clock, log, stamps }: AffidavitDeps,
  sealed: Buffer,
  token: Buffer | null,
): Promise<Buffer> {
  const { own } = stamps;
  if (!token || !own) return sealed;
  const besides = await stamps.validationOf(token);
  const data = besides && (await validationDataOf(db, keys, clock(), besides));
  if (data) return archiveAffidavit(sealed, data, own);
  measures.unarchived.tell(unarchivedLevel);
  log.warn('an affidavit is sealed without validation data: a CRL is missing or outdated');
  return sealed;
}

/**
 * Publishes the file. If one of its keys was revoked meanwhile, marks it for another verification:
 * it may be sealed just before a theft was found.
 */
async function publish(
  deps: AffidavitDeps,
  row: AffidavitRow,
  serials: readonly string[],
  manifest: {
    affidavit_key: string;
    version: number;
    sha256: string;
    base_sha256: string;
    seal_kid: string;
    json_sha256: string;
    size_bytes: number;
    sealed_at: Date;
    development: boolean | null;
    pades_level: string;
    renew_at: Date | null;
  },
): Promise<void> {
  const now = deps.clock();
  const published = await transaction(deps.db, async (tx) => {
    const isRevoked = await lockRevoked(tx, serials);
    const session = await publishAffidavit(tx, {
      ...manifest,
      ...(isRevoked ? { renew_at: now, recheck_since: now } : {}),
      affidavit_id: row.affidavit_id,
      available_at: now,
    });
    if (!session) return null;
    await appendEvents(tx, { ids: deps.ids, now }, [sessionEvent(session, 'affidavit.available')]);
    // It locks the log for all processes, so it comes last.
    await appendToLog(tx, { ...manifest, affidavit_id: row.affidavit_id }, now);
    return session;
  });
  if (published?.decided_at) {
    measures.affidavit.tell((now.getTime() - published.decided_at.getTime()) / 1000);
  }
}

/**
 * Returns the content as first gathered, so that a later attempt signs the same words. Content that
 * another build froze and never sealed is gathered again: its schema differs, or it names a
 * renderer that will not lay it out.
 */
async function frozenContent(deps: AffidavitDeps, row: AffidavitRow): Promise<AffidavitContent> {
  const known = row.content_sealed && (await openContent(deps, row, row.content_sealed));
  if (known && !isOfAnother(known)) return affidavitContent.parse(known);
  const gathered = canonicalJson(await gatherContent(deps, row));
  const sealed = await deps.sealer.seal(...placeOf(row), gathered);
  await transaction(deps.db, (tx) => freezeContent(tx, row, sealed, row.content_sealed));
  const frozen = await findAffidavit(deps.db, row.affidavit_id);
  if (!frozen?.content_sealed) throw new Error('the content was not kept');
  return affidavitContent.parse(await openContent(deps, row, frozen.content_sealed));
}

const isOfAnother = (json: unknown): boolean => {
  const { schema, renderer } = Object(json);
  const isNot = (name: unknown, ours: string) => typeof name === 'string' && name !== ours;
  return isNot(schema, contentSchema) || isNot(renderer, rendererId);
};

async function openContent(
  deps: AffidavitDeps,
  row: AffidavitRow,
  sealed: Buffer,
): Promise<unknown> {
  return JSON.parse((await deps.sealer.open(...placeOf(row), sealed)).toString());
}

const placeOf = ({ account_id, affidavit_id }: AffidavitRow): [owner: string, context: string] => [
  accountOwner(account_id),
  `affidavits|content|${affidavit_id}`,
];
