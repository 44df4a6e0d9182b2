import { createHash } from 'node:crypto';
import { imageHeaderOf, type ImageHeader } from '../../../images/image-header.ts';
import {
  childrenOf,
  MalformedDer,
  readElement,
  take,
  takeIf,
  tags,
  type Element,
} from '../../../pki/read-der.ts';

/** The portrait of a passport in EF.DG2. */
export interface Face extends ImageHeader {
  readonly encoding: 'iso-19794-5' | 'iso-39794-5';
  /**
   * Number of biometric templates in the file; the portrait is the first image of the first one.
   */
  readonly templates: number;
  /** JPEG or JPEG 2000, to be decoded elsewhere. */
  readonly image: Uint8Array;
}

/** Face features that a record may list before its picture: ISO/IEC 14496-2 defines 84 points. */
const featurePointsMax = 512;

const biometricData = { primitive: 0x5f2e, constructed: 0x7f2e } as const;

/**
 * Extracts the portrait from EF.DG2 (ICAO 9303-10: tag 0x75 around the biometric information group
 * template of ISO/IEC 7816-11), in ISO/IEC 19794-5:2005 or ISO/IEC 39794-5. Reads only the header
 * of the picture.
 * @throws `MalformedDer`
 */
export function faceOf(dg2: Uint8Array): Face {
  const group = childrenOf(readElement(readElement(dg2, 0x75).contents, 0x7f61).contents);
  const count = take(group, tags.integer).contents;
  const templates = group.filter(({ tag }) => tag === 0x7f60);
  if (count.length !== 1 || count[0] !== templates.length) {
    throw new MalformedDer('another number of templates is stated');
  }
  const [first] = templates;
  if (!first) throw new MalformedDer('no biometric template');
  const block = childrenOf(first.contents).find(
    ({ tag }) => tag === biometricData.primitive || tag === biometricData.constructed,
  );
  if (!block) throw new MalformedDer('no biometric data');
  const isOld = Buffer.from(block.contents.subarray(0, 4)).equals(faceRecordMark);
  const image = isOld ? imageOfRecord(block.contents) : imageOfBlock(block.contents);
  return {
    encoding: isOld ? 'iso-19794-5' : 'iso-39794-5',
    templates: templates.length,
    ...imageHeaderOf(image),
    image,
  };
}

/** Returns the facts of a portrait for a verdict: they identify the file, not the person. */
export const factsOfFace = ({ image, mediaType, ...face }: Face): Record<string, unknown> => ({
  encoding: face.encoding,
  media_type: mediaType,
  width: face.width,
  height: face.height,
  size_bytes: image.length,
  sha256: createHash('sha256').update(image).digest('hex'),
});

const faceRecordMark = Buffer.from('FAC\0', 'latin1');
/** ISO/IEC 19794-5:2005, the edition of ICAO 9303-10; others have a different layout. */
const faceRecordVersion = Buffer.from('010\0', 'latin1');
const headerBytes = 14;
const faceInfoBytes = 20;
const featurePointBytes = 8;
const imageInfoBytes = 12;

/**
 * ISO/IEC 19794-5:2005 §5: facial record header, then for each face its information, feature
 * points, image information and picture.
 */
function imageOfRecord(record: Uint8Array): Uint8Array {
  const view = new DataView(record.buffer, record.byteOffset, record.byteLength);
  if (record.length < headerBytes + faceInfoBytes) throw new MalformedDer('the face is cut off');
  if (!faceRecordVersion.equals(record.subarray(4, 8))) {
    throw new MalformedDer('another version of facial record');
  }
  if (view.getUint32(8) !== record.length) throw new MalformedDer('another length is stated');
  if (view.getUint16(12) < 1) throw new MalformedDer('no face');
  const faceEnd = headerBytes + view.getUint32(headerBytes);
  const points = view.getUint16(headerBytes + 4);
  if (points > featurePointsMax) throw new MalformedDer('too many feature points');
  const start = headerBytes + faceInfoBytes + points * featurePointBytes + imageInfoBytes;
  if (start >= faceEnd || faceEnd > record.length) throw new MalformedDer('the face is cut off');
  return record.subarray(start, faceEnd);
}

/**
 * ISO/IEC 39794-5, FaceImageDataBlock: representation → image representation → base → two
 * dimensions → the octets of the picture. Fields of later editions come after these and are not
 * read.
 */
function imageOfBlock(contents: Uint8Array): Uint8Array {
  // ICAO's profile wraps the block once more, in the tag of the biometric data's type.
  const outer = readElement(contents);
  const block = outer.tag === 0xa1 ? readElement(outer.contents) : outer;
  if (block.tag !== 0x65) throw new MalformedDer('no face image data block');
  const fields = childrenOf(block.contents);
  take(fields, 0xa0);
  const [representation] = childrenOf(take(fields, 0xa1).contents);
  if (representation?.tag !== tags.sequence) throw new MalformedDer('no representation');
  const parts = childrenOf(representation.contents);
  takeIf(parts, 0x80);
  const image = [0xa0, 0xa0].reduce(firstOf, take(parts, 0xa1));
  return take(childrenOf(image.contents), 0x80).contents;
}

const firstOf = (parent: Element, tag: number): Element => take(childrenOf(parent.contents), tag);
