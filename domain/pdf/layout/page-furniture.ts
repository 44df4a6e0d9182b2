import { styles } from './blocks.ts';
import type { Mark } from './marks.ts';
import {
  colors,
  columnWidth,
  fillBox,
  paper,
  ruleAt,
  showLine,
  writeArtifact,
  type Leaf,
  type Sheet,
  type Style,
} from './sheet.ts';
import { showOperators } from './typeset.ts';

const bandHeight = 24;
const bandStyle: Style = { size: 10.5, weight: 'bold', color: colors.white };
const watermark = { size: 190, color: colors.blush, slant: 0.5 } as const;

/** Writes the content of every page: names, page number and marks. */
export function writeRunning(
  sheet: Sheet,
  { names, marks }: { readonly names: string; readonly marks: readonly Mark[] },
): void {
  for (const [index, leaf] of sheet.leaves.entries()) {
    writeFooter(sheet, leaf, names, `Page ${index + 1} of ${sheet.leaves.length}`);
    for (const [place, mark] of marks.entries()) writeBand(sheet, leaf, mark, place);
    // Below all other content, so that all words stay readable.
    if (marks.some(({ name }) => name === 'TEST')) {
      leaf.operators.unshift('/Artifact BMC', ...slantedTest(sheet), 'EMC');
    }
  }
}

function writeFooter(sheet: Sheet, leaf: Leaf, names: string, number: string): void {
  const y = 34;
  const style = styles.small;
  const width = sheet.fonts.width(number, style.size, style.weight);
  writeArtifact(leaf, ruleAt(y + 12));
  writeArtifact(leaf, showLine(sheet.fonts, names, { x: paper.left, y }, style));
  const x = paper.left + columnWidth - width;
  writeArtifact(leaf, showLine(sheet.fonts, number, { x, y }, style));
}

/** Writes a mark at the top of a page. Bands are stacked. */
function writeBand(sheet: Sheet, leaf: Leaf, mark: Mark, place: number): void {
  const { fonts } = sheet;
  const y = paper.height - bandHeight * (place + 1);
  const box = { x: 0, y, width: paper.width, height: bandHeight };
  const words = `${mark.name}: ${mark.words}`;
  writeArtifact(leaf, fillBox(box, colors.red));
  const width = fonts.width(words, bandStyle.size, bandStyle.weight);
  const start = { x: (paper.width - width) / 2, y: box.y + 8 };
  writeArtifact(leaf, showLine(fonts, words, start, bandStyle));
}

function slantedTest({ fonts }: Sheet): string[] {
  const { size, slant } = watermark;
  const width = fonts.width('TEST', size, 'bold');
  const [cos, sin] = [Math.cos(slant), Math.sin(slant)];
  const x = paper.width / 2 - (cos * width - sin * size * 0.7) / 2;
  const y = paper.height / 2 - (sin * width + cos * size * 0.7) / 2;
  const matrix = [cos, sin, -sin, cos, x, y].map((value) => value.toFixed(4));
  return [
    'BT',
    `${watermark.color.join(' ')} rg`,
    `${matrix.join(' ')} Tm`,
    ...fonts
      .runs('TEST', 'bold')
      .flatMap(({ font, set }) => [`/${font} ${size} Tf`, ...showOperators(set, size)]),
    'ET',
  ];
}
