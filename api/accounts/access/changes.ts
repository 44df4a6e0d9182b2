import { isDeepStrictEqual } from 'node:util';

/** Returns the differences between two states for the audit log; null if they are equal. */
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
