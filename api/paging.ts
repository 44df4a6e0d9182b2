import { z } from 'zod';

/** The query of every list (interface §5). */
export const pageQuery = {
  page: z.coerce.number().int().min(1).max(1_000_000).default(1).describe('Which page, from 1'),
  page_size: z.coerce
    .number()
    .int()
    .min(1)
    .max(100)
    .default(25)
    .describe('How many items a page has'),
};

interface PageQuery {
  readonly page: number;
  readonly page_size: number;
}

/** The body of a list: one page of it, and how much there is. */
export const pageBody = <Item extends z.ZodType>(item: Item) =>
  z.object({
    items: z.array(item),
    page: z.int().describe('This page, from 1'),
    page_size: z.int().describe('How many items a page has'),
    total: z.int().describe('How many items there are'),
    pages: z.int().describe('How many pages there are'),
  });

/** The rows of a page, as `LIMIT` and `OFFSET` name them. */
export const limitAndOffset = ({ page, page_size }: PageQuery): [number, number] => [
  page_size,
  (page - 1) * page_size,
];

/** One page as it is answered; beyond the end it is empty, with the true total. */
export function pageOf<Item>(items: Item[], total: number, { page, page_size }: PageQuery) {
  return { items, page, page_size, total, pages: Math.ceil(total / page_size) };
}
