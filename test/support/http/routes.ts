import { families } from '../../../api/families.ts';
import type { Contract } from '../../../api/http/contract.ts';
import { orderedRoutes } from '../../../api/http/mount.ts';
import { isPathOf, shapeOf } from '../../../api/http/routes/other-methods.ts';

/**
 * Whether a template matches a path: segment by segment, case-insensitive, with an optional slash
 * at the end.
 */
export function matches(template: string, path: string): boolean {
  const [parts, segments] = [template.split('/'), path.replace(/(?<=.)\/$/, '').split('/')];
  return (
    parts.every((part, index) => {
      if (part.endsWith('*}')) return segments.length >= index;
      if (index >= segments.length) return false;
      return part.startsWith('{')
        ? segments[index] !== ''
        : part.toLowerCase() === segments[index]?.toLowerCase();
    }) &&
    (template.endsWith('*}') || parts.length === segments.length)
  );
}

export const contracts: readonly Contract[] = orderedRoutes(families).map(
  ({ contract }) => contract,
);

/**
 * Returns the contract of a method and a path with its query; null if there is no route. Only the
 * most specific routes that match the path are considered.
 */
export function contractOf(method: string, target: string): Contract | null {
  const path = target.split('?')[0] ?? '';
  const verb = method.toLowerCase();
  const matching = contracts.filter((row) => matches(row.path, path));
  const [first] = matching;
  return (
    matching.find(
      (row) =>
        row.method === verb && first && shapeOf(row) === shapeOf(first) && isPathOf(row, path),
    ) ?? null
  );
}
