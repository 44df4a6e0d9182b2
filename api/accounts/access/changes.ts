import { isDeepStrictEqual } from 'node:util';

/** What differs between two states, as the audit log tells it; null where nothing does. */
export function changesOf<Row extends object>(
  before: Row,
  after: Row,
  names: readonly (keyof Row & string)[],
): { from: Partial<Row>; to: Partial<Row> } | null {
  const changed = names.filter((name) => !isDeepStrictEqual(before[name], after[name]));
  if (changed.length === 0) return null;
  const only = (row: Row): Partial<Row> => {
    const part: Partial<Row> = {};
    for (const name of changed) part[name] = row[name];
    return part;
  };
  return { from: only(before), to: only(after) };
}
