import { createHash } from 'node:crypto';
import canonicalize from 'canonicalize';
import type { RemovedImage, NamedImage } from '../proofs/file-members.ts';
import type { ProofReason } from '../proofs/reasons.ts';
import { ownPlace, takeOutImages, type File } from './images.ts';

/**
 * Returns the file with a list of its images: path, SHA-256 and size of each. So its hash can be
 * computed after the images are removed.
 */
export function nameImages(file: File): File {
  const images = takeOutImages(file).places.map(({ path, sha256, size_bytes }) => ({
    path: path.join('.'),
    sha256,
    size_bytes,
  }));
  return { ...file, images };
}

/**
 * Returns the hash of a file that goes into `evidence_hash`: the SHA-256 of its RFC 8785 form, with
 * null for each listed image and without `removed`. It is the same with or without the images.
 */
export function boundPartOf(file: File): string {
  const { removed: _removed, ...bound } = file;
  const rest = structuredClone(bound);
  const images: unknown = file['images'];
  for (const image of Array.isArray(images) ? images : []) {
    const place = ownPlace(rest, String(Object(image).path).split('.'));
    if (place) Object.assign(place.parent, { [place.name]: null });
  }
  return createHash('sha256')
    .update(canonicalize(rest) ?? '')
    .digest('hex');
}

/** Returns the `evidence_hash` of the files of one submission; null if there are none. */
export function evidenceHashOf(files: readonly File[]): string | null {
  if (files.length === 0) return null;
  return createHash('sha256').update(files.map(boundPartOf).join('\n')).digest('hex');
}

/** Where a file does not match its list of images. */
export interface BindingFault {
  readonly reason: Extract<ProofReason, 'image_differs' | 'removed_differs'>;
  readonly path: string;
}

/**
 * Compares a file with its list of images. Each listed image must be present with its hash, or be
 * listed in `removed` with that hash; `removed` may list nothing else. Returns null if all match.
 */
export function bindingFaultOf(
  file: File,
  images: readonly NamedImage[],
  removed: readonly RemovedImage[],
): BindingFault | null {
  const gone = new Map(removed.map((each) => [each.path, each]));
  const listed = new Set(images.map(({ path }) => path));
  if (gone.size < removed.length) return { reason: 'removed_differs', path: 'removed' };
  if (listed.size < images.length) return { reason: 'image_differs', path: 'images' };
  const unknown = removed.find(({ path }) => !listed.has(path));
  if (unknown) return { reason: 'removed_differs', path: unknown.path };
  for (const image of images) {
    const place = ownPlace(file, image.path.split('.'));
    const removal = gone.get(image.path);
    const fault = place ? faultOfOne(image, place.value, removal) : 'image_differs';
    if (fault) return { reason: fault, path: image.path };
  }
  return null;
}

function faultOfOne(
  { sha256, size_bytes }: NamedImage,
  value: unknown,
  removal: RemovedImage | undefined,
): BindingFault['reason'] | null {
  if (value === undefined || value === null) {
    const isSame = removal?.sha256 === sha256 && removal.size_bytes === size_bytes;
    return isSame ? null : 'removed_differs';
  }
  if (removal) return 'removed_differs';
  if (typeof value !== 'string') return 'image_differs';
  const bytes = Buffer.from(value, 'base64');
  const isSame =
    bytes.toString('base64') === value &&
    bytes.length === size_bytes &&
    createHash('sha256').update(bytes).digest('hex') === sha256;
  return isSame ? null : 'image_differs';
}
