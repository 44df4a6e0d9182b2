import { createHash } from 'node:crypto';
import { mediaTypeOf } from '../images/media-type.ts';

export type File = Readonly<Record<string, unknown>>;

/** The place of an image in an evidence file, and its hash. */
export interface ImagePlace {
  readonly path: readonly (string | number)[];
  readonly sha256: string;
  readonly size_bytes: number;
}

/** Members that are images whatever their first bytes: face, fingers, eyes, signature. */
const imageNames = new Set('front back portrait frames DG2 DG3 DG4 DG5 DG7'.split(' '));
/** An evidence file nests five levels deep. */
const depthMax = 20;

/**
 * Takes the images out of an evidence file and puts null in their place. Putting them back restores
 * the file byte for byte.
 * @returns the file without images, their places, and their bytes by hash
 */
export function takeOutImages(file: File): {
  readonly file: File;
  readonly places: readonly ImagePlace[];
  readonly images: ReadonlyMap<string, Uint8Array>;
} {
  const places: ImagePlace[] = [];
  const images = new Map<string, Uint8Array>();
  const without = (value: unknown, path: ImagePlace['path'], isNamed: boolean): unknown => {
    if (typeof value === 'string') {
      const bytes = imageIn(value, isNamed);
      if (!bytes) return value;
      const sha256 = createHash('sha256').update(bytes).digest('hex');
      places.push({ path, sha256, size_bytes: bytes.length });
      images.set(sha256, bytes);
      return null;
    }
    if (typeof value !== 'object' || value === null || path.length >= depthMax) return value;
    if (Array.isArray(value)) {
      return value.map((each, index) => without(each, [...path, index], isNamed));
    }
    return Object.fromEntries(
      Object.entries(value).map(([name, member]) => [
        name,
        without(member, [...path, name], isNamed || imageNames.has(name)),
      ]),
    );
  };
  const { input } = file;
  return { file: { ...file, input: without(input, ['input'], false) }, places, images };
}

/**
 * Puts images back in their places.
 * @param imageOf returns the bytes by hash; null for a removed image, which stays null
 */
export function putBackImages(
  file: File,
  places: readonly ImagePlace[],
  imageOf: (sha256: string) => Uint8Array | null,
): File {
  const whole = structuredClone(file);
  for (const { path, sha256 } of places) {
    const bytes = imageOf(sha256);
    if (bytes) setAt(whole, path, Buffer.from(bytes).toString('base64'));
  }
  return whole;
}

/** Returns the file without the removed images, and with a list of them. */
export function withoutImages(
  file: File,
  gone: readonly (ImagePlace & { readonly removed_at: Date })[],
): File {
  const rest = structuredClone(file);
  for (const { path } of gone) setAt(rest, path, undefined);
  const removed = gone.map(({ path, sha256, size_bytes, removed_at }) => ({
    path: path.join('.'),
    sha256,
    size_bytes,
    removed_at: removed_at.toISOString(),
  }));
  return { ...rest, removed };
}

/** Returns the bytes of a text that is an image in canonical base64; else null. */
function imageIn(text: string, isNamed: boolean): Uint8Array | null {
  if (text === '' || !(isNamed || isImage(Buffer.from(text.slice(0, 32), 'base64')))) return null;
  const bytes = Buffer.from(text, 'base64');
  return bytes.toString('base64') === text ? bytes : null;
}

const isImage = (head: Uint8Array): boolean => mediaTypeOf(head).startsWith('image/');

function setAt(root: File, path: ImagePlace['path'], value: unknown): void {
  const place = ownPlace(root, path);
  if (place) Object.assign(place.parent, { [place.name]: value });
}

/**
 * Returns the value at a path in a file, and its parent. Follows own properties only, because
 * untrusted input chooses the names. Returns null if the path cannot exist.
 */
export function ownPlace(
  root: File,
  path: ImagePlace['path'],
): { readonly parent: object; readonly name: string | number; readonly value: unknown } | null {
  let [parent, value]: unknown[] = [null, root];
  for (const name of path) {
    parent = value;
    if (typeof parent !== 'object' || parent === null) return null;
    value = Object.getOwnPropertyDescriptor(parent, name)?.value;
  }
  const name = path.at(-1);
  if (name === undefined || typeof parent !== 'object' || parent === null) return null;
  return { parent, name, value };
}
