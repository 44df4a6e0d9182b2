import { firstOf, statement, type Queryable, type Tx } from '../client.ts';
import type { evidenceImages } from '../schema/evidence.ts';

export type EvidenceImageRow = typeof evidenceImages.$inferSelect;

/** A stored image of an evidence file. */
export type NewEvidenceImage = Pick<EvidenceImageRow, 'sha256' | 'size_bytes'> & {
  readonly image_sealed: Buffer;
};

/** Metadata of an image, which may have been removed. */
export type EvidenceImageAbout = Pick<EvidenceImageRow, 'sha256' | 'size_bytes' | 'removed_at'>;

const evidencedOf = statement<{ submission_id: string }>(
  'kept_evidence.submissions_of_session',
  `SELECT submission_id FROM proof_submissions
   WHERE link_session_id = :sessionId AND judged_at IS NOT NULL AND evidence_sealed IS NOT NULL
   ORDER BY judged_at`,
);
const claims = statement<{ claims_sealed: Buffer }>(
  'kept_evidence.claims',
  `SELECT claims_sealed FROM proof_submissions
   WHERE submission_id = :id AND claims_sealed IS NOT NULL`,
);
/** A removed value returns no row; the end of a value returns an empty piece. */
const evidencePiece = statement<{ piece: Buffer }>(
  'kept_evidence.files_piece',
  `SELECT substring(evidence_sealed FROM :from::int + 1 FOR :pieceBytes::int) AS piece
   FROM proof_submissions
   WHERE submission_id = :id AND evidence_sealed IS NOT NULL`,
);
const imagePiece = statement<{ piece: Buffer }>(
  'kept_evidence.image_piece',
  `SELECT substring(image_sealed FROM :from::int + 1 FOR :pieceBytes::int) AS piece
   FROM evidence_images
   WHERE submission_id = :id AND sha256 = :sha256 AND image_sealed IS NOT NULL`,
);
const imagesOf = statement<EvidenceImageAbout>(
  'kept_evidence.images',
  `SELECT sha256, size_bytes, removed_at FROM evidence_images
   WHERE submission_id = :id ORDER BY sha256`,
);
const addImage = statement(
  'kept_evidence.add_image',
  `INSERT INTO evidence_images (submission_id, link_session_id, sha256, size_bytes, image_sealed)
   SELECT submission_id, link_session_id, :sha256, :size_bytes, :image_sealed FROM proof_submissions
   WHERE submission_id = :id ON CONFLICT DO NOTHING`,
);
const removeImages = statement<Pick<EvidenceImageRow, 'sha256' | 'size_bytes'>>(
  'kept_evidence.remove_images',
  `UPDATE evidence_images SET image_sealed = NULL, removed_at = :now
   WHERE link_session_id = :sessionId AND image_sealed IS NOT NULL
   RETURNING sha256, size_bytes`,
);

/** A statement has a time limit, so large values are read in pieces. */
const pieceBytes = 4 * 1024 * 1024;

/** Returns the ids of the submissions of a session that have evidence, oldest first. */
export async function listEvidenced(on: Queryable, sessionId: string): Promise<string[]> {
  return (await evidencedOf(on, { sessionId })).map(({ submission_id }) => submission_id);
}

/** Returns the sealed claims of a submission; null if there are none or they were removed. */
export async function readClaims(on: Queryable, id: string): Promise<Buffer | null> {
  return firstOf(await claims(on, { id }))?.claims_sealed ?? null;
}

/** Returns the sealed files of a submission; null if there are none or they were removed. */
export function readEvidence(on: Queryable, id: string): Promise<Buffer | null> {
  return readPieces((from) => evidencePiece(on, { id, from, pieceBytes }));
}

/** Returns one sealed image of a submission; null if there is none or it was removed. */
export function readEvidenceImage(
  on: Queryable,
  id: string,
  sha256: string,
): Promise<Buffer | null> {
  return readPieces((from) => imagePiece(on, { id, sha256, from, pieceBytes }));
}

/** Returns metadata of the images of a submission, removed ones included. */
export function listEvidenceImages(on: Queryable, id: string): Promise<EvidenceImageAbout[]> {
  return imagesOf(on, { id });
}

/** Stores an image of a submission, once per hash. */
export async function addEvidenceImage(
  tx: Tx,
  id: string,
  { sha256, size_bytes, image_sealed }: NewEvidenceImage,
): Promise<void> {
  await addImage(tx, { id, sha256, size_bytes, image_sealed });
}

/** Removes the images of a session's evidence and returns the ones that existed. Hashes stay. */
export function removeEvidenceImages(
  tx: Tx,
  sessionId: string,
  now: Date,
): Promise<Pick<EvidenceImageRow, 'sha256' | 'size_bytes'>[]> {
  return removeImages(tx, { sessionId, now });
}

/** Reads a value in pieces. It may have tens of megabytes. */
async function readPieces(
  ask: (from: number) => Promise<{ readonly piece: Buffer }[]>,
): Promise<Buffer | null> {
  const pieces: Buffer[] = [];
  for (let from = 0; ; from += pieceBytes) {
    const row = firstOf(await ask(from));
    if (!row) return null;
    pieces.push(row.piece);
    if (row.piece.length < pieceBytes) return Buffer.concat(pieces);
  }
}
