import type { Queryable } from '../../../db/client.ts';
import {
  listEvidenceImages,
  readClaims,
  readEvidence,
  readEvidenceImage,
  type NewEvidenceImage,
} from '../../../db/queries/evidence-files.ts';
import { accountOwner, type Sealer } from '../../../db/sealing/sealed.ts';
import {
  putBackImages,
  takeOutImages,
  withoutImages,
  type File,
  type ImagePlace,
} from '../../../domain/evidence/images.ts';

/** Results of a judgement besides its evidence files. */
export interface SealedClaims {
  readonly claims: Readonly<Record<string, unknown>>;
  readonly facts: Readonly<Record<string, unknown>>;
  /** The device that signed the request; null where none did, or none is known. */
  readonly device_id: string | null;
  /** Hash of the evidence that this proof was compared with; null without a comparison. */
  readonly compared_with: string | null;
  /** The SHA-256 of each file's verdict. */
  readonly verdicts: readonly string[];
}

/** Stored evidence of one submission: three parts, each of which is removed separately. */
export interface SealedEvidence {
  readonly claimsSealed: Buffer;
  readonly evidenceSealed: Buffer;
  readonly images: readonly NewEvidenceImage[];
}

interface OpenDeps {
  readonly db: Queryable;
  readonly sealer: Pick<Sealer, 'open'>;
}

/** A submission, and the account that owns the sealing key of its evidence. */
export interface EvidencePlaceOf {
  readonly accountId: number;
  readonly submissionId: string;
}

interface SealedFiles {
  readonly files: readonly File[];
  /** Positions of the images, with the index of their file. */
  readonly images: readonly (ImagePlace & { readonly file: number })[];
}

const evidenceContext = (id: string): string => `proof_submissions|evidence|${id}`;
const claimsContext = (id: string): string => `proof_submissions|claims|${id}`;
const imageContext = (id: string, sha256: string): string => `evidence_images|${id}|${sha256}`;

/** Seals the evidence and the results of a judgement: claims, files, and each image separately. */
export async function sealEvidence(
  sealer: Pick<Sealer, 'seal'>,
  { accountId, submissionId: id }: EvidencePlaceOf,
  files: readonly File[],
  kept: SealedClaims,
): Promise<SealedEvidence> {
  const owner = accountOwner(accountId);
  const taken = files.map(takeOutImages);
  const places = taken.flatMap(({ places: of }, file) => of.map((each) => ({ file, ...each })));
  const stored: SealedFiles = { files: taken.map(({ file }) => file), images: places };
  const images = new Map(taken.flatMap(({ images: of }) => [...of]));
  return {
    claimsSealed: await sealer.seal(owner, claimsContext(id), JSON.stringify(kept)),
    evidenceSealed: await sealer.seal(owner, evidenceContext(id), JSON.stringify(stored)),
    images: await Promise.all(
      [...images].map(async ([sha256, bytes]) => ({
        sha256,
        size_bytes: bytes.length,
        image_sealed: await sealer.seal(owner, imageContext(id, sha256), bytes),
      })),
    ),
  };
}

/**
 * Returns the results of a submission, without images; null if it does not exist or was removed.
 */
export async function openClaims(
  { db, sealer }: OpenDeps,
  { accountId, submissionId: id }: EvidencePlaceOf,
): Promise<SealedClaims | null> {
  const owner = accountOwner(accountId);
  const sealed = await readClaims(db, id);
  if (!sealed) return null;
  return JSON.parse((await sealer.open(owner, claimsContext(id), sealed)).toString());
}

/**
 * Returns a submission's files without images, and the images' positions; null without evidence.
 */
export async function openFiles(
  { db, sealer }: OpenDeps,
  { accountId, submissionId: id }: EvidencePlaceOf,
): Promise<SealedFiles | null> {
  const sealed = await readEvidence(db, id);
  if (!sealed) return null;
  const opened = await sealer.open(accountOwner(accountId), evidenceContext(id), sealed);
  return JSON.parse(opened.toString());
}

/**
 * Yields the evidence files of a submission one by one, as they were judged. Only one file's images
 * are in memory at a time. For a removed image, the file contains its name and hash (`removed`).
 * Yields null and ends when the evidence itself was removed.
 */
export async function* filesOf(deps: OpenDeps, of: EvidencePlaceOf): AsyncGenerator<File | null> {
  const kept = await openFiles(deps, of);
  if (!kept) return yield null;
  for (const [index, file] of kept.files.entries()) {
    const places = kept.images.filter((place) => place.file === index);
    const images = new Map<string, Uint8Array>();
    for (const { sha256 } of places) {
      const image = images.has(sha256) ? null : await openImage(deps, of, sha256);
      if (image) images.set(sha256, image);
    }
    const whole = putBackImages(file, places, (sha256) => images.get(sha256) ?? null);
    const gone = places.filter(({ sha256 }) => !images.has(sha256));
    yield gone.length > 0 ? withoutImages(whole, await ifRemoved(deps, of, gone)) : whole;
  }
}

async function ifRemoved<Place extends ImagePlace>(
  { db }: OpenDeps,
  { submissionId }: EvidencePlaceOf,
  gone: readonly Place[],
): Promise<(Place & { readonly removed_at: Date })[]> {
  const rows = await listEvidenceImages(db, submissionId);
  return gone.map((place) => {
    const removed_at = rows.find(({ sha256 }) => sha256 === place.sha256)?.removed_at;
    if (!removed_at) throw new Error('an image of evidence is missing, and was not removed');
    return { ...place, removed_at };
  });
}

async function openImage(
  { db, sealer }: OpenDeps,
  { accountId, submissionId: id }: EvidencePlaceOf,
  sha256: string,
): Promise<Buffer | null> {
  const sealed = await readEvidenceImage(db, id, sha256);
  return sealed && sealer.open(accountOwner(accountId), imageContext(id, sha256), sealed);
}
