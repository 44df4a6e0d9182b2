import { blankImage } from '../../domain/images/blank-image.ts';
import type { Grey } from '../../domain/images/grey.ts';
import { findBarcode } from './document/barcode.ts';
import { openTextReader } from './document/ocr.ts';
import { openModels } from './face/models.ts';
import { normalizeImage } from './images/normalize-image.ts';

const blank = (side: number): Grey => ({
  data: new Uint8Array(side * side).fill(255),
  width: side,
  height: side,
});
const pixels = (side: number): Float32Array<ArrayBuffer> => new Float32Array(side * side * 3);
const unbounded = (): void => undefined;

/**
 * Loads the readers of photographs and faces in this thread, and runs each once on a blank image.
 * @throws if one cannot be loaded or does not run
 */
export async function warmReaders(): Promise<void> {
  await normalizeImage(blankImage);
  const text = await openTextReader();
  text.line(blank(64));
  text.words(blank(256), unbounded);
  await findBarcode(blank(256), unbounded, 1);
  const models = await openModels();
  models.boxes(pixels(256));
  models.mesh(pixels(192));
  models.eyes(pixels(64), pixels(64));
  models.realness(pixels(128));
  models.describe(pixels(150));
}
