import type { LinkRow } from './link-leases.ts';
import type { TrustCheckRow } from './trust-checks.ts';
import { planned, withTotal, type Queryable, type Reach } from '../client.ts';

/** A condition of a list. Each `$?` in its text stands for the next of its values. */
export interface Condition {
  readonly text: string;
  readonly values: readonly unknown[];
}

export const condition = (text: string, ...values: readonly unknown[]): Condition => ({
  text,
  values,
});

/** Start of a page: after a row in list order, or after a number of rows. */
export type PageStart = { readonly at: Date; readonly id: string } | { readonly offset: number };

interface Rows {
  readonly links: LinkRow;
  readonly trust_checks: TrustCheckRow;
}

export interface FilteredList<Table extends keyof Rows = keyof Rows> {
  readonly table: Table;
  /** Column that orders rows with the same instant. */
  readonly id: string;
  readonly where: readonly Condition[];
  readonly reach: Reach;
  /** Order of `created_at`. */
  readonly order: 'ASC' | 'DESC';
  readonly limit: number;
  readonly from: PageStart;
}

/**
 * Returns a page of a list and the total count. The text contains only the requested conditions and
 * is planned for their values. One plan for all combinations would read all rows of an account.
 */
export async function listFiltered<Table extends keyof Rows>(
  on: Queryable,
  list: FilteredList<Table>,
): Promise<{ rows: Rows[Table][]; total: number }> {
  const { table, id, order, limit, from } = list;
  const all = [...list.where, ...reachConditions(list.reach)];
  const isAfter = 'at' in from;
  const after = `(created_at, ${id}) ${order === 'ASC' ? '>' : '<'} ($?, $?)`;
  const paged = isAfter ? [...all, condition(after, from.at, from.id)] : all;
  const tail = `ORDER BY created_at ${order}, ${id} ${order} LIMIT $?`;
  const end = isAfter ? condition(tail, limit) : condition(`${tail} OFFSET $?`, limit, from.offset);
  const page = numbered([condition(`SELECT * FROM listed_${table} WHERE`), ...joined(paged), end]);
  const counted = `SELECT count(*)::int AS total FROM listed_${table} WHERE`;
  const count = numbered([condition(counted), ...joined(all)]);
  return withTotal(
    planned<Rows[Table]>(`${table}.filtered_page`, page.text)(on, page.values),
    planned<{ total: number }>(`${table}.filtered_count`, count.text)(on, count.values),
  );
}

function reachConditions({ livemode, appIds }: Reach): Condition[] {
  return [
    ...(livemode === null ? [] : [condition('NOT livemode')]),
    ...(appIds === null ? [] : [condition('app_id = ANY ($?)', appIds)]),
  ];
}

const joined = (conditions: readonly Condition[]): Condition[] =>
  conditions.map(({ text, values }, place) => ({
    text: place === 0 ? `(${text})` : `AND (${text})`,
    values,
  }));

function numbered(parts: readonly Condition[]): Condition {
  let number = 0;
  const text = parts
    .map((part) => part.text)
    .join(' ')
    .replaceAll('$?', () => `$${(number += 1)}`);
  return { text, values: parts.flatMap(({ values }) => values) };
}
