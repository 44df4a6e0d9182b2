import { leading, styles } from './blocks.ts';
import { labelOf, valueText } from './labels.ts';
import {
  colors,
  columnWidth,
  currentLeaf,
  makeRoom,
  paper,
  ruleAt,
  showLine,
  writeArtifact,
  writeMarked,
  type Sheet,
  type Style,
} from './sheet.ts';
import { headerExtra, type Node } from './structure.ts';
import { wrap } from './wrap.ts';

export interface Column {
  /** Heading of the column; absent in a table of facts. */
  readonly head?: string;
  readonly width: number;
  readonly style?: Style;
}

/** Content of a cell, in its own style or the column's. */
export type Cell = string | { readonly text: string; readonly style: Style };

const cellLinesMax = 10;
const cellGap = 8;
const rowGap = 3.5;

/** Writes a table; its heading, if any, is repeated on every further page. */
export function writeTable(
  sheet: Sheet,
  columns: readonly Column[],
  rows: readonly (readonly Cell[])[],
): void {
  const table = sheet.structure.add(sheet.structure.root, 'Table');
  const heads = columns.map(({ head }) => ({ text: head ?? '', style: styles.head }));
  const hasHead = columns.some(({ head }) => head !== undefined);
  const head = layOut(sheet, columns, heads, hasHead ? 'head' : 'fact');
  if (hasHead) {
    makeRoom(sheet, 50);
    writeRow(sheet, table, head);
  }
  for (const cells of rows) {
    const row = layOut(sheet, columns, cells, hasHead ? 'row' : 'fact');
    const turned = makeRoom(sheet, row.height + rowGap);
    if (turned && hasHead) writeRow(sheet, null, head);
    writeRow(sheet, table, row);
  }
}

/** A label, its value, and whether the value is a digest or similar, to be set small. */
export type Fact = readonly [label: string, value: string | null, isDigest?: boolean];

const labelWidth = 132;
const factColumns: readonly Column[] = [
  { width: labelWidth, style: styles.label },
  { width: columnWidth - labelWidth },
];

/** Writes rows of label and value; rows without a value are left out. */
export function writeFacts(sheet: Sheet, facts: readonly Fact[]): void {
  const rows = facts.flatMap(([label, value, isDigest]): Cell[][] =>
    value === null ? [] : [[label, isDigest ? { text: value, style: styles.code } : value]],
  );
  if (rows.length > 0) writeTable(sheet, factColumns, rows);
}

/** Returns names and values of the content as rows in words. */
export function rowsOf(table: Readonly<Record<string, string>>): Fact[] {
  return Object.entries(table).map(([name, value]) => [labelOf(name), valueText(value)]);
}

type RowKind = 'head' | 'row' | 'fact';

interface LaidOutRow {
  readonly kind: RowKind;
  readonly height: number;
  readonly cells: readonly { lines: readonly string[]; style: Style; x: number }[];
}

function layOut(
  sheet: Sheet,
  columns: readonly Column[],
  row: readonly Cell[],
  kind: RowKind,
): LaidOutRow {
  let x = paper.left;
  const cells = columns.map((column, index) => {
    const cell = row[index] ?? '';
    const style = typeof cell === 'string' ? (column.style ?? styles.body) : cell.style;
    const text = typeof cell === 'string' ? cell : cell.text;
    const width = column.width - cellGap;
    const lines = wrap(sheet.fonts, text, { style, width, linesMax: cellLinesMax });
    const place = { lines, style, x };
    x += column.width;
    return place;
  });
  const heights = cells.map(({ lines, style }) => lines.length * style.size * leading);
  return { kind, cells, height: Math.max(styles.body.size * leading, ...heights) };
}

/** Writes one row on one page. Without a table it is a repeated heading, an artifact. */
function writeRow(sheet: Sheet, table: Node | null, row: LaidOutRow): void {
  const { kind, cells, height } = row;
  const rowNode = table && sheet.structure.add(table, 'TR');
  for (const [index, { lines, style, x }] of cells.entries()) {
    const cellNode = rowNode && addCell(sheet, rowNode, kind, index);
    // Aligns text of another size to the line of its neighbors.
    let y = sheet.y - (styles.body.size - style.size) * 0.7;
    for (const line of lines) {
      y -= style.size * leading;
      const shown = showLine(sheet.fonts, line, { x, y: y + style.size * 0.32 }, style);
      if (cellNode) writeMarked(sheet, cellNode, shown);
      else writeArtifact(currentLeaf(sheet), shown);
    }
  }
  sheet.y -= height + rowGap / 2;
  writeArtifact(currentLeaf(sheet), ruleAt(sheet.y, colors.rule, kind === 'head' ? 0.8 : 0.35));
  sheet.y -= rowGap / 2;
}

function addCell(sheet: Sheet, row: Node, kind: RowKind, index: number): Node {
  const isHeader = kind === 'head' || (kind === 'fact' && index === 0);
  if (!isHeader) return sheet.structure.add(row, 'TD');
  const scope = kind === 'head' ? 'Column' : 'Row';
  return sheet.structure.add(row, 'TH', headerExtra(sheet.document.context, scope));
}
