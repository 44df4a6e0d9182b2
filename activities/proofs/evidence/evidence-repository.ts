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

/** What a judgement yielded besides the files it was made on. */
export interface SealedClaims {
  readonly claims: Readonly<Record<string, unknown>>;
  readonly facts: Readonly<Record<string, unknown>>;
  /** The device that signed the request; null where none did, or none is known. */
  readonly device_id: string | null;
  /** The hash of the evidence it was compared with; null where it was with none. */
  readonly compared_with: string | null;
  /** The SHA-256 of each file's verdict. */
  readonly verdicts: readonly string[];
}

/** The evidence of one submission as it is stored: three parts, each of which goes on its own. */
export interface SealedEvidence {
  readonly claimsSealed: Buffer;
  readonly evidenceSealed: Buffer;
  readonly images: readonly NewEvidenceImage[];
}

interface OpenDeps {
  readonly db: Queryable;
  readonly sealer: Pick<Sealer, 'open'>;
}

/** A submission, and the account whose key its evidence is sealed by. */
export interface EvidencePlaceOf {
  readonly accountId: number;
  readonly submissionId: string;
}

interface SealedFiles {
  readonly files: readonly File[];
  /** Where images were, by the file they were in. */
  readonly images: readonly (ImagePlace & { readonly file: number })[];
}

const evidenceContext = (id: string): string => `proof_submissions|evidence|${id}`;
const claimsContext = (id: string): string => `proof_submissions|claims|${id}`;
const imageContext = (id: string, sha256: string): string => `evidence_images|${id}|${sha256}`;

/** Seals what a judgement was made on and what it yielded: claims, files, and each image alone. */
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

/** What a submission yielded, without its images; null when it is not there, or not any more. */
export async function openClaims(
  { db, sealer }: OpenDeps,
  { accountId, submissionId: id }: EvidencePlaceOf,
): Promise<SealedClaims | null> {
  const owner = accountOwner(accountId);
  const sealed = await readClaims(db, id);
  if (!sealed) return null;
  return JSON.parse((await sealer.open(owner, claimsContext(id), sealed)).toString());
}

/** The files of a submission as they lie there, and where their images were; null without any. */
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
 * The evidence files of a submission one after the other, as they were judged: the images of one
 * are held at a time. Of images that are gone a file says so by name and hash (`removed`).
 * Yields null, and ends, when the evidence itself is gone.
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
