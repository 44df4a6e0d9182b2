import { elementsOf, MalformedDer, tags, type Element } from '../../../domain/pki/read-der.ts';

/** Octets of one kind, defined by their place in the structure. */
export interface Region {
  readonly kind: string;
  readonly start: number;
  readonly end: number;
}

/**
 * Offsets of the fields of authenticator data (WebAuthn §6.1); the last one exists only with keys.
 */
const authDataFields = [0, 32, 33, 37, 53, 55, 87];

/**
 * Returns the regions of one file. In ASN.1 these are each header and each value by its path of
 * tags, also inside strings that contain ASN.1. `inside` are files embedded in another format.
 */
export function regionsOf(file: Uint8Array, inside: readonly Uint8Array[] = []): Region[] {
  const own: Region = { kind: 'octets', start: 0, end: file.length };
  if (inside.length === 0) return walked(file, 0, '') ?? [own];
  const found = inside.flatMap((part, index) => {
    const start = Buffer.from(file).indexOf(part);
    const fields = walked(part, start, `part ${index}`) ?? fieldsOf(part, start, index);
    return start === -1 ? [] : fields;
  });
  return [...found, ...between(found, file.length)];
}

function fieldsOf(part: Uint8Array, start: number, index: number): Region[] {
  const begins = authDataFields.filter((begin) => begin < part.length);
  return begins.map((begin, field) => ({
    kind: `part ${index} field ${field}`,
    start: start + begin,
    end: start + (begins[field + 1] ?? part.length),
  }));
}

/** Returns the regions between the given ones. */
function between(regions: readonly Region[], length: number): Region[] {
  const gaps: Region[] = [];
  let end = 0;
  for (const region of [...regions].sort((one, other) => one.start - other.start)) {
    if (region.start > end) gaps.push({ kind: `around ${end}`, start: end, end: region.start });
    end = Math.max(end, region.end);
  }
  if (end < length) gaps.push({ kind: `around ${end}`, start: end, end: length });
  return gaps;
}

/** Returns null for bytes that are not ASN.1 to their end. */
function walked(bytes: Uint8Array, start: number, path: string): Region[] | null {
  try {
    const elements = [...elementsOf(bytes, 'ber')];
    return elements.length === 0
      ? null
      : elements.flatMap((each) => regionsOfElement(each, start - bytes.byteOffset, path));
  } catch (error) {
    if (error instanceof MalformedDer) return null;
    throw error;
  }
}

function regionsOfElement({ tag, whole, contents }: Element, shift: number, path: string) {
  const kind = `${path}/${tag.toString(16)}`;
  const from = whole.byteOffset + shift;
  const [start, end] = [contents.byteOffset + shift, contents.byteOffset + shift + contents.length];
  const regions: Region[] = [{ kind: `${kind} head`, start: from, end: start }];
  if (from + whole.length > end) {
    regions.push({ kind: `${kind} end`, start: end, end: from + whole.length });
  }
  if (contents.length === 0) return regions;
  return [...regions, ...(within(tag, contents, start, kind) ?? [{ kind, start, end }])];
}

function within(tag: number, contents: Uint8Array, start: number, kind: string): Region[] | null {
  if (tag === tags.bitString) return walked(contents.subarray(1), start + 1, kind);
  const isConstructed = ((tag > 0xff ? tag >> 8 : tag) & 0x20) !== 0;
  return isConstructed || tag === tags.octetString ? walked(contents, start, kind) : null;
}
