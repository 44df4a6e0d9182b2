import { MalformedDer } from '../pki/read-der.ts';

/** The values in the first bytes of a picture; nothing is decoded here. */
export interface ImageHeader {
  /** `image/j2c` is a JPEG 2000 codestream without a file around it, which some chips have. */
  readonly mediaType: 'image/jpeg' | 'image/jp2' | 'image/j2c';
  readonly width: number;
  readonly height: number;
}

/** Limit of markers and boxes before the size: real portraits have fewer than twenty. */
const stepsMax = 256;
/** Far above any portrait (ICAO 9303-10 requires some 400 by 500), far below what fills memory. */
export const sideMax = 16_384;

/**
 * Reads the size of the picture in an EF.DG2: JPEG (ITU-T T.81 §B.2.2), JPEG 2000 as a file (ITU-T
 * T.800 Annex I) or as a codestream (§A.5.1).
 * @throws `MalformedDer` for any other bytes
 */
export function imageHeaderOf(bytes: Uint8Array): ImageHeader {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  try {
    return bounded(readHeader(view));
  } catch (error) {
    if (error instanceof RangeError) throw new MalformedDer('the picture ends too early');
    throw error;
  }
}

function readHeader(view: DataView): ImageHeader {
  const first = view.getUint32(0);
  if (first >>> 8 === 0xffd8ff) return { mediaType: 'image/jpeg', ...jpegSize(view) };
  if (first === 0xff4fff51) return { mediaType: 'image/j2c', ...codestreamSize(view) };
  if (first === 12 && view.getUint32(4) === 0x6a502020 && view.getUint32(8) === 0x0d0a870a) {
    return { mediaType: 'image/jp2', ...fileSize(view) };
  }
  throw new MalformedDer('the picture is neither JPEG nor JPEG 2000');
}

type Size = Pick<ImageHeader, 'width' | 'height'>;

function bounded(header: ImageHeader): ImageHeader {
  const { width, height } = header;
  if (Math.min(width, height) < 1 || Math.max(width, height) > sideMax) {
    throw new MalformedDer('the picture has an impossible size');
  }
  return header;
}

/** Start-of-frame markers; three values in their range are other markers. */
const isFrame = (marker: number): boolean =>
  marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);

function jpegSize(view: DataView): Size {
  let offset = 2;
  for (let steps = 0; steps < stepsMax; steps += 1) {
    if (view.getUint8(offset) !== 0xff) throw new MalformedDer('a JPEG marker is missing');
    const marker = view.getUint8(offset + 1);
    if (marker === 0xff) {
      offset += 1;
      continue;
    }
    if (isFrame(marker)) {
      return { width: view.getUint16(offset + 7), height: view.getUint16(offset + 5) };
    }
    const length = view.getUint16(offset + 2);
    if (marker < 0xc0 || marker === 0xd9 || marker === 0xda || length < 2) break;
    offset += 2 + length;
  }
  throw new MalformedDer('the JPEG states no size');
}

/** The boxes of a file: the image header inside `jp2h` states the size. */
function fileSize(view: DataView): Size {
  let [offset, end] = [0, view.byteLength];
  for (let steps = 0; steps < stepsMax && offset < end; steps += 1) {
    const length = view.getUint32(offset);
    switch (view.getUint32(offset + 4)) {
      case 0x6a703268:
        end = length === 0 ? end : offset + length;
        offset += 8;
        continue;
      case 0x69686472:
        return { width: view.getUint32(offset + 12), height: view.getUint32(offset + 8) };
    }
    if (length < 8) break;
    offset += length;
  }
  throw new MalformedDer('the JPEG 2000 file states no size');
}

/** SIZ: the reference grid minus the image's offset on it. */
function codestreamSize(view: DataView): Size {
  return {
    width: view.getUint32(8) - view.getUint32(16),
    height: view.getUint32(12) - view.getUint32(20),
  };
}
