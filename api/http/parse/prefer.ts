/** One preference of RFC 7240 §2: its name, and its value as a token or a quoted string. */
const preference = /^\s*([!#$%&'*+.^_`|~\w-]+)\s*(?:=\s*(?:"([^"\\]*)"|([^\s";,]*)))?/;
const headerLengthMax = 1024;

/**
 * Whether a `Prefer` header requests `handling=lenient` (RFC 7240 §4.4). The first of two equal
 * preferences counts (§2). A header over 1,024 characters is ignored.
 */
export function prefersLenient(header: string | undefined): boolean {
  if (header === undefined || header.length > headerLengthMax) return false;
  for (const item of header.split(',')) {
    const [, name, quoted, token] = preference.exec(item) ?? [];
    if (name?.toLowerCase() === 'handling') return (quoted ?? token) === 'lenient';
  }
  return false;
}
