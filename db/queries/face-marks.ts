import { statement, type Queryable, type Tx } from '../client.ts';
import type { faceMarks } from '../schema/evidence.ts';

export type FaceMarkRow = typeof faceMarks.$inferSelect;

const known = statement<FaceMarkRow>(
  'face_marks.known',
  'SELECT * FROM face_marks WHERE mark = ANY (:marks::bytea[]) AND expires_at > :now',
);
/** An expired mark is replaced when the same frame is submitted again. */
const keep = statement<{ mark: Buffer }>(
  'face_marks.keep',
  `INSERT INTO face_marks (mark, link_session_id, expires_at)
   SELECT mark, :sessionId, :until FROM unnest(:marks::bytea[]) AS given (mark) ORDER BY mark
   ON CONFLICT (mark) DO UPDATE
     SET link_session_id = excluded.link_session_id, expires_at = excluded.expires_at
     WHERE face_marks.expires_at <= :now
   RETURNING mark`,
);

const removeEnded = statement(
  'face_marks.remove_ended',
  `DELETE FROM face_marks WHERE mark = ANY (ARRAY(
     SELECT mark FROM face_marks WHERE expires_at <= :now
     ORDER BY expires_at LIMIT :lengthMax FOR UPDATE SKIP LOCKED))
   RETURNING mark`,
);

/** Returns the stored marks among these. */
export function listFaceMarks(
  on: Queryable,
  marks: readonly Buffer[],
  now: Date,
): Promise<FaceMarkRow[]> {
  return known(on, { marks, now });
}

/** Stores marks of frames, each once. Returns how many are new. */
export async function keepFaceMarks(
  tx: Tx,
  marks: readonly Buffer[],
  { sessionId, now, until }: { sessionId: string; now: Date; until: Date },
): Promise<number> {
  return (await keep(tx, { marks, sessionId, now, until })).length;
}

/** Deletes at most `lengthMax` expired marks. Returns how many. */
export async function removeEndedMarks(
  on: Queryable,
  now: Date,
  lengthMax: number,
): Promise<number> {
  return (await removeEnded(on, { now, lengthMax })).length;
}
