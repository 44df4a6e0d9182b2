import { existsSync } from 'node:fs';
import { z } from 'zod';
import { revocationReasons } from '../../../domain/names.ts';
import { mismatched, pathIn, readKeyFile, type KeyPlace } from './key-files.ts';

/** Kind of a JSON file beside a certificate or secret: `{name}{ending}`. */
interface MetadataKind<Schema extends z.ZodType> {
  readonly ending: string;
  readonly schema: Schema;
  /** Description of the content, for the error `does not say {content}`. */
  readonly content: string;
}

/** When a next key was published. */
export const publication = {
  ending: '.published.json',
  schema: z.object({ published_at: z.coerce.date() }),
  content: 'when it was published',
};

/** When a key was replaced. Without this file, tokens of a retired token key are rejected. */
export const retirement = {
  ending: '.retired.json',
  schema: z.object({ retired_at: z.coerce.date() }),
  content: 'when it was retired',
};

/** When and why a key was revoked. A key that was only replaced has no such file. */
export const revocation = {
  ending: '.revoked.json',
  schema: z.object({
    revoked_at: z.coerce.date(),
    reason: z.enum(revocationReasons),
    invalidity_date: z.coerce.date().optional(),
  }),
  content: 'when and why it was revoked',
};

export type RevocationMark = z.output<typeof revocation.schema>;

/**
 * Reads the metadata of a key.
 * @param name path of the key's files, relative to the directory and without a suffix
 * @throws KeyDirectoryError for a file that is missing or invalid
 */
export function readMetadata<Schema extends z.ZodType>(
  { directory }: KeyPlace,
  name: string,
  { ending, schema, content }: MetadataKind<Schema>,
): z.output<Schema> {
  const path = pathIn(directory, `${name}${ending}`);
  const text = readKeyFile(path).toString();
  try {
    return schema.parse(JSON.parse(text));
  } catch {
    throw mismatched(name, `${path} does not say ${content}`);
  }
}

/** Reads the metadata of a key like `readMetadata`; null where there is no such file. */
export function findMetadata<Schema extends z.ZodType>(
  place: KeyPlace,
  name: string,
  kind: MetadataKind<Schema>,
): z.output<Schema> | null {
  const isThere = existsSync(pathIn(place.directory, `${name}${kind.ending}`));
  return isThere ? readMetadata(place, name, kind) : null;
}

/** Returns the path of a metadata file and its content, for `changeKeys`. */
export function metadataFile<Schema extends z.ZodType>(
  name: string,
  { ending }: MetadataKind<Schema>,
  value: z.output<Schema>,
): [string, string] {
  return [`${name}${ending}`, `${JSON.stringify(value)}\n`];
}
