/**
 * Compares two paths in the order in which routes must be mounted: literal before parameter,
 * segment by segment. In the order of the published API five operations would reach the wrong
 * handler.
 */
export function byRouteOrder(a: string, b: string): number {
  const left = a.split('/');
  const right = b.split('/');
  const length = Math.max(left.length, right.length);
  for (let index = 0; index < length; index += 1) {
    const difference = rank(left[index]) - rank(right[index]);
    if (difference !== 0) return difference;
    const [first = '', second = ''] = [left[index], right[index]];
    if (rank(first) === 0 && first !== second) return first < second ? -1 : 1;
  }
  return 0;
}

function rank(segment: string | undefined): number {
  if (segment === undefined) return 1;
  if (!segment.startsWith('{')) return 0;
  return segment.endsWith('*}') ? 3 : 2;
}

/** Converts an OpenAPI template to Express 5: `{a}` → `:a`, `{a*}` → `*a`. */
export function expressPath(template: string): string {
  return template.replaceAll(/\{([a-z0-9_]+)(\*?)\}/g, (_all, name: string, rest: string) =>
    rest ? `*${name}` : `:${name}`,
  );
}
