import { currentLeaf, makeRoom, paper, writeMarked, type Sheet } from '../../pdf/layout/sheet.ts';
import { figureExtra } from '../../pdf/layout/structure.ts';
import type { AffidavitContent } from '../content.ts';

type Photo = NonNullable<AffidavitContent['subject']['photo']>;

/** Height on the page, in points. */
const height = 110;
const name = 'Photo';
const alternative = 'Photo of the subject from the chip of the document';

/** Draws the photo of the subject as an image (ISO 32000-1 §8.9.5, DCTDecode). */
export function drawPhoto(sheet: Sheet, photo: Photo): void {
  const { context } = sheet.document;
  const width = (photo.width / photo.height) * height;
  makeRoom(sheet, height + 12);
  sheet.y -= height + 4;
  const image = context.stream(Buffer.from(photo.jpeg, 'base64'), {
    Type: 'XObject',
    Subtype: 'Image',
    Width: photo.width,
    Height: photo.height,
    ColorSpace: 'DeviceRGB',
    BitsPerComponent: 8,
    Filter: 'DCTDecode',
  });
  currentLeaf(sheet).images[name] = context.register(image);
  const box = [paper.left, sheet.y, paper.left + width, sheet.y + height];
  const extra = figureExtra(context, alternative, box);
  const figure = sheet.structure.add(sheet.structure.root, 'Figure', extra);
  const [scale, place] = [width.toFixed(2), sheet.y.toFixed(2)];
  const matrix = `${scale} 0 0 ${height} ${paper.left} ${place} cm`;
  writeMarked(sheet, figure, ['q', matrix, `/${name} Do`, 'Q']);
  sheet.y -= 8;
}
