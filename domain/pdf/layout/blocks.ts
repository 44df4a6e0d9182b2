import {
  colors,
  columnWidth,
  currentLeaf,
  fillBox,
  isPageTop,
  makeRoom,
  paper,
  ruleAt,
  showLine,
  writeArtifact,
  writeMarked,
  type Sheet,
  type Style,
} from './sheet.ts';
import type { Node, Role } from './structure.ts';
import { wrap } from './wrap.ts';

/** Line height, relative to the font size. */
export const leading = 1.42;

export const styles = {
  title: { size: 21, weight: 'bold', color: colors.accent },
  heading: { size: 12, weight: 'bold', color: colors.accent },
  minor: { size: 9.5, weight: 'bold', color: colors.ink },
  body: { size: 9.5, weight: 'regular', color: colors.ink },
  label: { size: 8.5, weight: 'regular', color: colors.pale },
  head: { size: 8, weight: 'bold', color: colors.pale },
  small: { size: 7.5, weight: 'regular', color: colors.pale },
  code: { size: 8, weight: 'regular', color: colors.ink },
} as const satisfies Record<string, Style>;

/** Writes lines of text as one structure element. */
export function writeText(
  sheet: Sheet,
  text: string,
  options: {
    readonly role: Role;
    readonly style: Style;
    readonly parent?: Node;
    readonly x?: number;
    readonly width?: number;
    readonly linesMax?: number;
  },
): void {
  const { style, x = paper.left, width = columnWidth } = options;
  const node = sheet.structure.add(options.parent ?? sheet.structure.root, options.role);
  const lines = wrap(sheet.fonts, text, { style, width, linesMax: options.linesMax ?? 60 });
  for (const line of lines) {
    makeRoom(sheet, style.size * leading);
    sheet.y -= style.size * leading;
    const place = { x, y: sheet.y + style.size * 0.32 };
    writeMarked(sheet, node, showLine(sheet.fonts, line, place, style));
  }
}

/** Writes a numbered heading with a rule below, on the same page as the text after it. */
export function writeHeading(sheet: Sheet, text: string): void {
  makeRoom(sheet, 140);
  if (!isPageTop(sheet)) sheet.y -= 15;
  writeText(sheet, text, { role: 'H2', style: styles.heading, linesMax: 2 });
  sheet.y -= 3;
  writeArtifact(currentLeaf(sheet), ruleAt(sheet.y, colors.accent, 0.6));
  sheet.y -= 5;
}

/** Writes the name of a part of a section, on the same page as its first rows. */
export function writeMinor(sheet: Sheet, text: string): void {
  makeRoom(sheet, 58);
  if (!isPageTop(sheet)) sheet.y -= 7;
  writeText(sheet, text, { role: 'H3', style: styles.minor, linesMax: 1 });
  sheet.y -= 3;
}

export function writeParagraph(sheet: Sheet, text: string): void {
  writeText(sheet, text, { role: 'P', style: styles.body });
  sheet.y -= 4;
}

/** Writes an instruction and its command, on one page. */
export function writeStep(sheet: Sheet, text: string, command: string | null): void {
  const { style, linesMax } = { style: styles.body, linesMax: 20 };
  const lines = wrap(sheet.fonts, text, { style, width: columnWidth, linesMax });
  makeRoom(sheet, lines.length * style.size * leading + (command === null ? 0 : 60));
  writeParagraph(sheet, text);
  if (command !== null) writeCode(sheet, command);
}

const codeLinesMax = 12;

/** Writes a command on a pale ground, with its line breaks. */
function writeCode(sheet: Sheet, text: string): void {
  const pad = 6;
  const size = styles.code.size;
  const width = columnWidth - 2 * pad;
  const lines = text
    .split('\n')
    .slice(0, codeLinesMax)
    .flatMap((line) => wrap(sheet.fonts, line, { style: styles.code, width, linesMax: 4 }));
  const height = lines.length * size * leading + pad;
  makeRoom(sheet, height + 4);
  const ground = { x: paper.left, y: sheet.y - height, width: columnWidth, height };
  writeArtifact(currentLeaf(sheet), fillBox(ground, colors.wash));
  sheet.y -= pad / 2;
  const node = sheet.structure.add(sheet.structure.root, 'Code');
  for (const line of lines) {
    sheet.y -= size * leading;
    const place = { x: paper.left + pad, y: sheet.y + size * 0.32 };
    writeMarked(sheet, node, showLine(sheet.fonts, line, place, styles.code));
  }
  sheet.y -= pad / 2 + 5;
}
