import { firstOf, statement, type Queryable, type Tx } from '../client.ts';
import { build, prepare } from '../prepare.ts';
import { and, isNull } from '../schema/drizzle.ts';
import { evidenceUploads } from '../schema/evidence.ts';

const { object_key, swept_at } = evidenceUploads;

interface Named {
  readonly object_key: string;
}

/** Returns no row if the object is being removed. */
const begin = statement<Named>(
  'evidence_uploads.begin',
  `INSERT INTO evidence_uploads (object_key, evidence_id, upload_id, begun_at)
   VALUES (:objectKey, :evidenceId, :uploadId, :now)
   ON CONFLICT (object_key) DO UPDATE
     SET upload_id = excluded.upload_id, begun_at = excluded.begun_at
     WHERE evidence_uploads.swept_at IS NULL
   RETURNING object_key`,
);
const end = prepare('evidence_uploads.end', { object_key }, ({ equals }) =>
  build
    .delete(evidenceUploads)
    .where(and(equals.object_key, isNull(swept_at)))
    .returning({ object_key }),
);
/** Also takes uploads whose removal was interrupted. */
const takeCut = statement<Named & { readonly is_kept: boolean }>(
  'evidence_uploads.take_cut',
  `UPDATE evidence_uploads u SET swept_at = :now WHERE object_key = ANY (ARRAY(
     SELECT object_key FROM evidence_uploads
     WHERE begun_at < :before
       AND (swept_at IS NULL OR swept_at < :now::timestamptz - interval '1 minute')
     ORDER BY begun_at LIMIT :lengthMax FOR UPDATE SKIP LOCKED))
   RETURNING object_key, EXISTS (SELECT FROM evidence e
     WHERE e.evidence_id = u.evidence_id AND e.removed_at IS NULL) AS is_kept`,
);
const forget = statement(
  'evidence_uploads.forget',
  'DELETE FROM evidence_uploads WHERE object_key = ANY (:objectKeys) AND swept_at IS NOT NULL',
);

/** An upload in progress, with its object and the ids of the file and the uploader. */
export interface Upload {
  readonly objectKey: string;
  readonly evidenceId: string;
  readonly uploadId: string;
}

/**
 * Records an upload before its object is created. Returns false while the object is being removed:
 * then it must not be created.
 */
export async function beginUpload(
  on: Queryable,
  { objectKey, evidenceId, uploadId }: Upload,
  now: Date,
): Promise<boolean> {
  return (await begin(on, { objectKey, evidenceId, uploadId, now })).length > 0;
}

/**
 * Ends the upload of an object that is kept. Returns false if its removal has begun: then it must
 * not be kept.
 */
export async function endUpload(tx: Tx, objectKey: string): Promise<boolean> {
  return firstOf(await end(tx, { object_key: objectKey })) !== null;
}

/**
 * Claims for removal the uploads that began before `before` and never ended. `is_kept` is true if
 * the evidence row of the upload exists.
 */
export function takeCutUploads(
  on: Queryable,
  { now, before, lengthMax }: { now: Date; before: Date; lengthMax: number },
): Promise<(Named & { readonly is_kept: boolean })[]> {
  return takeCut(on, { now, before, lengthMax });
}

/** Deletes the rows of claimed uploads whose objects are removed or kept. */
export async function forgetUploads(on: Queryable, objectKeys: readonly string[]): Promise<void> {
  await forget(on, { objectKeys });
}
