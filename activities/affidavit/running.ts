import { styles } from './blocks.ts';
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

const band = { height: 24, words: 'TEST: this document proves nothing' } as const;
const bandStyle: Style = { size: 10.5, weight: 'bold', color: colors.white };
const watermark = { size: 190, color: colors.blush, slant: 0.5 } as const;

/** Writes what stands on every page: its names and number, and on a test that it is one. */
export function writeRunning(sheet: Sheet, about: { names: string; isTest: boolean }): void {
  for (const [index, leaf] of sheet.leaves.entries()) {
    writeFooter(sheet, leaf, about.names, `Page ${index + 1} of ${sheet.leaves.length}`);
    if (about.isTest) writeTest(sheet, leaf);
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

/** Nobody may take a test for the real thing, on any page. */
function writeTest(sheet: Sheet, leaf: Leaf): void {
  const { fonts } = sheet;
  const box = { x: 0, y: paper.height - band.height, width: paper.width, height: band.height };
  writeArtifact(leaf, fillBox(box, colors.red));
  const width = fonts.width(band.words, bandStyle.size, bandStyle.weight);
  const place = { x: (paper.width - width) / 2, y: box.y + 8 };
  writeArtifact(leaf, showLine(fonts, band.words, place, bandStyle));
  // Under everything else: it must not make a word unreadable.
  leaf.operators.unshift('/Artifact BMC', ...slantedTest(sheet), 'EMC');
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
