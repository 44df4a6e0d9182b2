import {
  DeleteObjectCommand,
  ListObjectsV2Command,
  ListObjectVersionsCommand,
  S3ServiceException,
  type S3Client,
} from '@aws-sdk/client-s3';

/** Access to a bucket. */
export interface Listed {
  readonly client: S3Client;
  readonly name: string;
  readonly bounded: () => { abortSignal: AbortSignal };
}

interface Version {
  readonly Key: string;
  readonly VersionId?: string;
}

interface Page {
  readonly found: readonly { Key?: string | undefined; VersionId?: string | undefined }[];
  /** Start of the next page; null after the last. */
  readonly next: { readonly key: string | undefined; readonly version?: string | undefined } | null;
}

const removedAtOnce = 20;
/** A folder has some dozen files, each with a few versions. */
const pagesMax = 100;

/**
 * Removes every version and delete marker of the objects at or below a key. For a server without
 * versions, removes the objects.
 */
export async function eraseVersions(bucket: Listed, key: string): Promise<void> {
  const list = (await keepsVersions(bucket, key)) ? listVersions : listObjects;
  let next: Page['next'] = { key: undefined };
  for (let page = 0; next; page += 1) {
    if (page === pagesMax) throw new Error('a folder has more files than it can have');
    const listed: Page = await list(bucket, key, next);
    const all = listed.found.filter(isKeyed).filter((each) => isAtOrBelow(key, each.Key));
    const keys = [...Map.groupBy(all, ({ Key }) => Key).values()];
    for (let from = 0; from < keys.length; from += removedAtOnce) {
      const some = keys.slice(from, from + removedAtOnce);
      await Promise.all(some.map((versions) => removeVersions(bucket, versions)));
    }
    next = listed.next;
  }
}

const isKeyed = (each: Page['found'][0]): each is Version => each.Key !== undefined;

/** A prefix also matches keys that only begin with the same text. */
const isAtOrBelow = (key: string, found: string): boolean =>
  found === key || found.startsWith(`${key}/`);

/** One at a time, since a server may make the next version the newest when one is removed. */
async function removeVersions(
  { client, name, bounded }: Listed,
  versions: readonly Version[],
): Promise<void> {
  for (const { Key, VersionId } of versions) {
    // "null" is the version of an object that is older than versioning.
    const version = VersionId === undefined || VersionId === '' ? {} : { VersionId };
    await client.send(new DeleteObjectCommand({ Bucket: name, Key, ...version }), bounded());
  }
}

async function keepsVersions({ client, name, bounded }: Listed, key: string): Promise<boolean> {
  const command = new ListObjectVersionsCommand({ Bucket: name, Prefix: key, MaxKeys: 1 });
  try {
    await client.send(command, bounded());
    return true;
  } catch (error) {
    const status = error instanceof S3ServiceException ? error.$metadata.httpStatusCode : 0;
    if (status === 501 || status === 405) return false;
    throw error;
  }
}

async function listVersions(
  { client, name, bounded }: Listed,
  key: string,
  from: NonNullable<Page['next']>,
): Promise<Page> {
  const command = new ListObjectVersionsCommand({
    Bucket: name,
    Prefix: key,
    KeyMarker: from.key,
    VersionIdMarker: from.version,
  });
  const page = await client.send(command, bounded());
  return {
    found: [...(page.Versions ?? []), ...(page.DeleteMarkers ?? [])],
    next: page.IsTruncated ? { key: page.NextKeyMarker, version: page.NextVersionIdMarker } : null,
  };
}

async function listObjects(
  { client, name, bounded }: Listed,
  key: string,
  from: NonNullable<Page['next']>,
): Promise<Page> {
  const command = new ListObjectsV2Command({
    Bucket: name,
    Prefix: key,
    ContinuationToken: from.key,
  });
  const page = await client.send(command, bounded());
  return {
    found: page.Contents ?? [],
    next: page.IsTruncated ? { key: page.NextContinuationToken } : null,
  };
}
