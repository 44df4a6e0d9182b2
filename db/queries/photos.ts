import { firstOf, statement, type Queryable, type Tx } from '../client.ts';

export interface PhotoRow {
  readonly object_key: string;
  readonly content_type: string;
  readonly link_session_id: string;
  readonly account_id: number;
}
const byPath = statement<PhotoRow>(
  'photos.by_path',
  `SELECT p.object_key, p.content_type, p.link_session_id, t.account_id
   FROM photos p JOIN trust_checks t USING (link_session_id)
   WHERE p.object_path = $1 AND p.expires_at > $2`,
);
const expired = statement<{ object_path: string; object_key: string }>(
  'photos.expired',
  `SELECT object_path, object_key FROM photos WHERE expires_at <= $1
   ORDER BY expires_at LIMIT $2`,
);
const forget = statement('photos.forget', 'DELETE FROM photos WHERE object_path = ANY ($1)');
const keysOf = statement<{ object_key: string }>(
  'photos.of_session',
  'SELECT object_key FROM photos WHERE link_session_id = $1 ORDER BY object_key',
);
const removeOf = statement<{ object_key: string }>(
  'photos.remove_of_session',
  'DELETE FROM photos WHERE link_session_id = $1 RETURNING object_key',
);

/** Where a photo lies that is still kept, and whose it is; or null. */
export async function findPhoto(
  on: Queryable,
  objectPath: string,
  now: Date,
): Promise<PhotoRow | null> {
  return firstOf(await byPath(on, [objectPath, now]));
}

/** Photos that were kept as long as they were made to be, the oldest first, at most so many. */
export const listExpiredPhotos = (on: Queryable, now: Date, lengthMax: number) =>
  expired(on, [now, lengthMax]);

/** Forgets photos whose objects are gone. */
export async function forgetPhotos(on: Queryable, objectPaths: readonly string[]): Promise<void> {
  await forget(on, [objectPaths]);
}

/** Where the photos of a session lie. */
export async function listPhotos(on: Queryable, linkSessionId: string): Promise<string[]> {
  return (await keysOf(on, [linkSessionId])).map(({ object_key }) => object_key);
}

/** Forgets the photos of a session; gives the keys of the objects that are to be removed. */
export async function removePhotos(tx: Tx, linkSessionId: string): Promise<string[]> {
  return (await removeOf(tx, [linkSessionId])).map(({ object_key }) => object_key);
}
