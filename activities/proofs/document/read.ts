import { calmed, shrunk, type Grey } from '../../../domain/images/grey.ts';
import { isTooDark, qualityOf, refusalOf } from '../../../domain/proofs/document/quality.ts';
import {
  printedSideOf,
  type DocumentImages,
  type DocumentReading,
  type SideReading,
} from '../../../domain/proofs/document/reading.ts';
import { ImageRefused, readGrey, normalizeImage } from '../images/normalize-image.ts';
import { findBarcode } from './barcode.ts';
import { budgetOf, OverBudget, workedMs, type Spend } from './budget.ts';
import { openTextReader, type TextReader } from './ocr.ts';
import { findMrz } from './read-mrz.ts';

/** Enough for print of two millimeters, at a third of the time. */
const wordsSideMax = 1300;

const unread: SideReading = {
  refused: null,
  mrz: null,
  barcode: null,
  refusal: 'no_document',
  isSeen: false,
  words: [],
};

/**
 * Reads the photographs of a document: MRZ, barcode and print. The same images give the same
 * reading. Run it in a thread: it decodes untrusted bytes and works for seconds. It does not throw
 * for the content of an image. Images that take far longer than documents are unreadable.
 * @param clock returns the milliseconds worked so far
 */
export async function readDocument(
  { front, back }: DocumentImages,
  clock: () => number = workedMs,
): Promise<DocumentReading> {
  const reader = await openTextReader();
  const sides = [await openSide(front), back ? await openSide(back) : null] as const;
  try {
    return await readSides(sides, reader, budgetOf(clock));
  } catch (error) {
    if (!(error instanceof OverBudget)) throw error;
    const [first, second] = sides;
    return { front: unreadable(first), back: second && unreadable(second) };
  }
}

const unreadable = ({ refused }: OpenSide): SideReading => ({
  ...unread,
  refused,
  refusal: 'unreadable',
});

async function readSides(
  sides: readonly [OpenSide, OpenSide | null],
  reader: TextReader,
  spend: Spend,
): Promise<DocumentReading> {
  const searched = sides.map((side) => side && searchMrz(side, reader, spend));
  const isMachineReadable = searched.some((side) => side?.mrz);
  const [first = unread, second = null] = await Promise.all(
    searched.map(
      async (side, index) => side && searchBarcode(side, sides[index], isMachineReadable, spend),
    ),
  );
  const reading: DocumentReading = { front: first ?? unread, back: second };
  const hasCode = [first, second].some((side) => side?.mrz || side?.barcode);
  if (!hasCode) return reading;
  const at = printedSideOf(reading) === second ? 'back' : 'front';
  const side = reading[at] ?? unread;
  const image = sides[at === 'back' ? 1 : 0]?.image;
  const isAlone = side.mrz === null && side.barcode === null;
  const words = image ? reader.words(shrunk(image, wordsSideMax).image, spend, { isAlone }) : [];
  return { ...reading, [at]: { ...side, words } };
}

/**
 * Normalizes uploaded photographs, and returns the images to store and their reading. A file that
 * is not an image is not stored.
 */
export async function takeDocument({ front, back }: DocumentImages) {
  const images = {
    front: await takeOrRefuse(front),
    back: back ? await takeOrRefuse(back) : undefined,
  };
  return { images, reading: await readDocument(images) };
}

/** Length of the prefix that is kept of a file that is not an image. It is judged as it is. */
const refusedBytesMax = 64;

async function takeOrRefuse(bytes: Uint8Array): Promise<Uint8Array> {
  try {
    return await normalizeImage(bytes);
  } catch (error) {
    if (error instanceof ImageRefused) return bytes.slice(0, refusedBytesMax);
    throw error;
  }
}

type OpenSide = { readonly image: Grey | null; readonly refused: string | null };

async function openSide(bytes: Uint8Array): Promise<OpenSide> {
  try {
    return { image: calmed(await readGrey(bytes)), refused: null };
  } catch (error) {
    if (error instanceof ImageRefused) return { image: null, refused: error.message };
    throw error;
  }
}

function searchMrz({ image, refused }: OpenSide, reader: TextReader, spend: Spend): SideReading {
  if (!image) return { ...unread, refused };
  const quality = qualityOf(image);
  if (isTooDark(quality)) return { ...unread, refusal: 'too_dark' };
  const { reading, ...seen } = findMrz(image, reader, spend);
  const refusal = refusalOf(quality, seen);
  return { ...unread, mrz: reading, isSeen: seen.isSeen, refusal };
}

/** A document with an MRZ rarely has a barcode too, so its barcode gets one try instead of all. */
async function searchBarcode(
  side: SideReading,
  open: OpenSide | null | undefined,
  isMachineReadable: boolean,
  spend: Spend,
): Promise<SideReading> {
  if (!open?.image || side.refusal === 'too_dark') return side;
  const triesMax = isMachineReadable || side.isSeen ? 1 : undefined;
  return { ...side, barcode: await findBarcode(open.image, spend, triesMax) };
}
