import { PDFDict, PDFDocument, PDFHexString, PDFName, type PDFPage, type PDFRef } from 'pdf-lib';
import type { EmbedFonts, Fonts, Weight } from './fonts.ts';
import { createStructure, type Node, type Structure } from './structure.ts';
import { showOperators } from './typeset.ts';

/** Sizes of an A4 page in points. */
export const paper = { width: 595.28, height: 841.89, left: 56, right: 56, top: 60, bottom: 64 };
export const columnWidth = paper.width - paper.left - paper.right;

export type Color = readonly [number, number, number];
export const colors = {
  ink: [0.1, 0.11, 0.13],
  pale: [0.37, 0.4, 0.45],
  rule: [0.78, 0.8, 0.84],
  accent: [0.11, 0.24, 0.42],
  wash: [0.95, 0.96, 0.98],
  red: [0.72, 0.06, 0.1],
  green: [0.05, 0.4, 0.22],
  blush: [0.99, 0.93, 0.93],
  white: [1, 1, 1],
} as const satisfies Record<string, Color>;

export interface Style {
  readonly size: number;
  readonly weight: Weight;
  readonly color: Color;
}

export interface Leaf {
  readonly page: PDFPage;
  readonly operators: string[];
  /** Images of the page, by their names in its operators. */
  readonly images: Record<string, PDFRef>;
}

/** A document in progress: pages of operators, a structure, and the current position. */
export interface Sheet {
  readonly document: PDFDocument;
  readonly fonts: Fonts;
  readonly structure: Structure;
  readonly leaves: Leaf[];
  /** Start of the next block, from the bottom of the page. */
  y: number;
}

/** Creates a document with the fonts for a text, its structure and one page. */
export async function createSheet(text: string, embedFonts: EmbedFonts): Promise<Sheet> {
  const document = await PDFDocument.create({ updateMetadata: false });
  const sheet: Sheet = {
    document,
    fonts: await embedFonts(document, text),
    structure: createStructure(document),
    leaves: [],
    y: 0,
  };
  turnPage(sheet);
  return sheet;
}

/** Starts a new page if less than `height` points are left on this one. Returns whether it did. */
export function makeRoom(sheet: Sheet, height: number): boolean {
  if (sheet.y - height >= paper.bottom) return false;
  turnPage(sheet);
  return true;
}

export const isPageTop = ({ y }: Sheet): boolean => y === paper.height - paper.top;

function turnPage(sheet: Sheet): void {
  const page = sheet.document.addPage([paper.width, paper.height]);
  sheet.leaves.push({ page, operators: [], images: {} });
  sheet.y = paper.height - paper.top;
}

/** Returns the current page. */
export function currentLeaf(sheet: Sheet): Leaf {
  const leaf = sheet.leaves.at(-1);
  if (!leaf) throw new Error('a sheet has pages');
  return leaf;
}

/** Writes operators as content of a structure element (ISO 32000-1 §14.7.4). */
export function writeMarked(sheet: Sheet, node: Node, operators: readonly string[]): void {
  const { page, operators: written } = currentLeaf(sheet);
  const mcid = sheet.structure.mark(node, page);
  written.push(`/${node.role} <</MCID ${mcid}>> BDC`, ...operators, 'EMC');
}

/** Writes operators without meaning: rules, backgrounds, running lines. */
export function writeArtifact(leaf: Leaf, operators: readonly string[]): void {
  leaf.operators.push('/Artifact BMC', ...operators, 'EMC');
}

/** Returns the operators that show one line of clean text at a position. */
export function showLine(
  fonts: Fonts,
  text: string,
  place: { x: number; y: number },
  style: Style,
): string[] {
  const shown = fonts.runs(text, style.weight).flatMap(({ font, set, spoken }) => {
    const show = [`/${font} ${style.size} Tf`, ...showOperators(set, style.size)];
    if (spoken === null) return show;
    const actual = PDFHexString.fromText(spoken).toString();
    return [`/Span <</ActualText ${actual}>> BDC`, ...show, 'EMC'];
  });
  return [
    'BT',
    `${style.color.join(' ')} rg`,
    `1 0 0 1 ${place.x.toFixed(2)} ${place.y.toFixed(2)} Tm`,
    ...shown,
    'ET',
  ];
}

export function fillBox(
  box: { x: number; y: number; width: number; height: number },
  color: Color,
): string[] {
  const numbers = [box.x, box.y, box.width, box.height].map((value) => value.toFixed(2));
  return [`${color.join(' ')} rg`, `${numbers.join(' ')} re`, 'f'];
}

/** Returns a horizontal rule as wide as the column. */
export function ruleAt(y: number, color: Color = colors.rule, thickness = 0.5): string[] {
  return fillBox({ x: paper.left, y, width: columnWidth, height: thickness }, color);
}

/** Writes the content streams and the structure; nothing can be drawn after it. */
export function closeSheet(sheet: Sheet): void {
  const { context } = sheet.document;
  for (const { page, operators, images } of sheet.leaves) {
    const content = context.flateStream(operators.join('\n'));
    page.node.set(PDFName.of('Contents'), context.register(content));
    const resources = PDFDict.withContext(context);
    resources.set(PDFName.of('Font'), context.obj({ ...sheet.fonts.resources }));
    if (Object.keys(images).length > 0) {
      resources.set(PDFName.of('XObject'), context.obj({ ...images }));
    }
    page.node.set(PDFName.of('Resources'), resources);
  }
  sheet.structure.finish();
}
