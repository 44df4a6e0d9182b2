import { firstOf, statement, type Queryable, type Tx } from '../client.ts';
import { build, limit, prepare, typed } from '../prepare.ts';
import { lte, sql } from '../schema/drizzle.ts';
import { photos } from '../schema/evidence.ts';

const { expires_at, link_session_id, object_key, object_path } = photos;

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
   WHERE p.object_path = :objectPath AND p.expires_at > :now`,
);
/** A photo of a check before it is stored. */
export interface NewPhoto {
  readonly object_path: string;
  readonly object_key: string;
  readonly content_type: string;
  readonly created_at: Date;
  readonly expires_at: Date;
}
const add = statement<{ object_path: string }>(
  'photos.add',
  `INSERT INTO photos (object_path, link_session_id, object_key, content_type, created_at,
     expires_at)
   SELECT :object_path, link_session_id, :object_key, :content_type, :created_at, :expires_at
     FROM trust_checks
   WHERE link_session_id = :linkSessionId AND decided_at IS NULL
   ON CONFLICT (object_path) DO UPDATE SET expires_at = excluded.expires_at
   RETURNING object_path`,
);
const expired = prepare('photos.expired', { expires_at, limit }, ({ by }) =>
  build
    .select({ object_path, object_key })
    .from(photos)
    .where(lte(expires_at, by.expires_at))
    .orderBy(expires_at)
    .limit(by.limit),
);
const forget = prepare('photos.forget', { objectPaths: typed<readonly string[]>() }, ({ by }) =>
  build.delete(photos).where(sql`${object_path} = ANY (${by.objectPaths})`),
);
const keysOf = prepare('photos.of_session', { link_session_id }, ({ equals }) =>
  build.select({ object_key }).from(photos).where(equals.link_session_id).orderBy(object_key),
);
const removeOf = prepare('photos.remove_of_session', { link_session_id }, ({ equals }) =>
  build.delete(photos).where(equals.link_session_id).returning({ object_key }),
);

/** Returns the object key and the owner of a photo that is still kept, or null. */
export async function findPhoto(
  on: Queryable,
  objectPath: string,
  now: Date,
): Promise<PhotoRow | null> {
  return firstOf(await byPath(on, { objectPath, now }));
}

/** Adds a photo to an undecided check. Returns false if the check is decided. */
export async function addPhoto(
  on: Queryable,
  linkSessionId: string,
  photo: NewPhoto,
): Promise<boolean> {
  return (await add(on, { linkSessionId, ...photo })).length > 0;
}

/** Lists at most `lengthMax` photos past their retention, oldest first. */
export const listExpiredPhotos = (on: Queryable, now: Date, lengthMax: number) =>
  expired(on, { expires_at: now, limit: lengthMax });

/** Deletes the rows of photos whose objects are removed. */
export async function forgetPhotos(on: Queryable, objectPaths: readonly string[]): Promise<void> {
  await forget(on, { objectPaths });
}

/** Returns the object keys of the photos of a session. */
export async function listPhotos(on: Queryable, linkSessionId: string): Promise<string[]> {
  return (await keysOf(on, { link_session_id: linkSessionId })).map(({ object_key }) => object_key);
}

/** Deletes the photo rows of a session. Returns the object keys to remove. */
export async function removePhotos(tx: Tx, linkSessionId: string): Promise<string[]> {
  return (await removeOf(tx, { link_session_id: linkSessionId })).map(
    ({ object_key }) => object_key,
  );
}
