import { firstOf, statement, type Queryable, type Tx } from '../client.ts';

const byPath = statement<{ object_key: string; content_type: string }>(
  'photos.by_path',
  'SELECT object_key, content_type FROM photos WHERE object_path = $1 AND expires_at > $2',
);
const removeOf = statement<{ object_key: string }>(
  'photos.remove_of_session',
  'DELETE FROM photos WHERE link_session_id = $1 RETURNING object_key',
);

/** Where a photo lies that is still kept, or null. */
export async function findPhoto(
  on: Queryable,
  objectPath: string,
  now: Date,
): Promise<{ object_key: string; content_type: string } | null> {
  return firstOf(await byPath(on, [objectPath, now]));
}

/** Forgets the photos of a session; gives the keys of the objects that are to be removed. */
export async function removePhotos(tx: Tx, linkSessionId: string): Promise<string[]> {
  return (await removeOf(tx, [linkSessionId])).map(({ object_key }) => object_key);
}
