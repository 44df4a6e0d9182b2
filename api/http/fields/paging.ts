import { z } from 'zod';
import { InvalidRequest } from '../problem/problem.ts';
import { integerText } from './integer-text.ts';

const pagesMax = 1_000_000;
const searchLengthMax = 200;
const longPageSizeMax = 500;
const cursorLengthMax = 400;
/** The end of the year 9999, the latest date that every part of the service accepts. */
const dateMsMax = 253_402_300_799_999;

/** The query of every list. */
export const pageQuery = {
  page: integerText(1, pagesMax).prefault(1).describe('Page number, from 1'),
  page_size: integerText(1, 100).prefault(25).describe('Items per page'),
};

interface PageQuery {
  readonly page: number;
  readonly page_size: number;
}

/** The body of a list: one page, with the totals. */
export const pageBody = <Item extends z.ZodType>(item: Item) =>
  z.object({
    items: z.array(item),
    page: z.int().describe('Number of this page, from 1'),
    page_size: z.int().describe('Items per page'),
    total: z.int().describe('Number of items'),
    pages: z.int().describe('Number of pages'),
  });

/** Returns the `LIMIT` and `OFFSET` of a page. */
export const limitAndOffset = ({ page, page_size }: PageQuery): [number, number] => [
  page_size,
  (page - 1) * page_size,
];

/** Returns the body of one page. A page past the end is empty and has the true total. */
export function pageOf<Item>(items: Item[], total: number, { page, page_size }: PageQuery) {
  return { items, page, page_size, total, pages: Math.ceil(total / page_size) };
}

/** Search text without surrounding white space, counted in code points. */
export const searchText = z
  .string()
  .trim()
  .refine(
    (text) => [...text].length <= searchLengthMax,
    `must have at most ${searchLengthMax} characters`,
  )
  .meta({ maxLength: searchLengthMax });

export const cursorText = z
  .string()
  .max(cursorLengthMax)
  .regex(/^[A-Za-z0-9_-]+$/, 'must be a cursor of this list and its filters')
  .optional()
  .describe('`next_cursor` of the previous page; `page` is then ignored');

/** The search and the cursor of a list. */
const searchQuery = {
  search: searchText.optional().describe('Text to search for, anywhere and in either case'),
  cursor: cursorText,
};

/** The query of a list that has a search and cursors. */
export const searchedPageQuery = { ...pageQuery, ...searchQuery };

/** The query of lists without a declared maximum page size: more than 500 are read as 500. */
export const longPageQuery = {
  ...searchedPageQuery,
  page_size: integerText(1)
    .prefault(25)
    .describe(`Items per page; a value above ${longPageSizeMax} counts as ${longPageSizeMax}`),
};
export const longPageSize = (asked: number): number => Math.min(asked, longPageSizeMax);

/** The body of a list with cursors; `next_cursor` is null on the last page. */
export const cursorPageBody = <Item extends z.ZodType>(item: Item) =>
  pageBody(item).extend({
    next_cursor: z.string().nullable().describe('Cursor of the next page; null on the last page'),
  });

/** The last row of a page, by the columns of the order, and the number of the next page. */
export interface Cursor {
  readonly at: Date;
  readonly id: string;
  readonly page: number;
  /** The total of the first page, where counting again would be expensive. */
  readonly total?: number;
  /** The digest of the filters it was issued for. A list with other filters refuses it. */
  readonly filter?: string;
}

const cursorForm = z.tuple([
  z.int().min(0).max(dateMsMax),
  z.string().regex(/^[A-Za-z0-9_-]{1,64}$/),
  z.int().min(2).max(pagesMax),
  z.int().min(0).nullish(),
  z.string().max(32).optional(),
]);

/** Encodes a cursor. Callers treat it as opaque. */
export function writeCursor({ at, id, page, total, filter }: Cursor): string {
  const rest = filter === undefined ? [total] : [total ?? null, filter];
  const parts = [at.getTime(), id, page, ...rest.filter((part) => part !== undefined)];
  return Buffer.from(JSON.stringify(parts)).toString('base64url');
}

/**
 * Decodes a cursor.
 * @param filter the digest of the list's filters, where its cursors contain one
 * @throws InvalidRequest for a cursor that no list has issued, or a list with other filters
 */
export function readCursor(text: string, filter?: string): Cursor {
  const read = parseCursor(text);
  if (!read || read.filter !== filter) return refuseCursor();
  return read;
}

function parseCursor(text: string): Cursor | null {
  try {
    const [at, id, page, total, filter] = cursorForm.parse(
      JSON.parse(Buffer.from(text, 'base64url').toString('utf8')),
    );
    const counted = typeof total === 'number' ? { total } : {};
    return { at: new Date(at), id, page, ...counted, ...(filter === undefined ? {} : { filter }) };
  } catch {
    return null;
  }
}

/** @throws InvalidRequest for a cursor that the list has not issued */
export function refuseCursor(): never {
  const loc = ['query', 'cursor'];
  throw new InvalidRequest([
    { loc, msg: 'must be a cursor of this list and its filters', type: 'cursor' },
  ]);
}

/** Returns a LIKE pattern that finds the text anywhere. Escapes `%`, `_` and backslash. */
export function patternOf(search: string): string {
  return `%${search.replaceAll(/[%_\\]/g, '\\$&')}%`;
}
