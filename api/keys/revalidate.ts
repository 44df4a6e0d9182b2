import { createHash } from 'node:crypto';

/**
 * Key sets and documents are cached for five minutes, and for a day while the service is
 * unavailable.
 */
const caching = 'public, max-age=300, stale-while-revalidate=60, stale-if-error=86400';

export interface PublicFile {
  readonly type: string;
  readonly content: string | Uint8Array;
  readonly headers?: Readonly<Record<string, string>>;
}

type Revalidated =
  | {
      readonly status: 200;
      readonly type: string;
      readonly content: string | Uint8Array;
      readonly headers: Readonly<Record<string, string>>;
    }
  | {
      readonly status: 304;
      readonly isEmpty: true;
      readonly headers: Readonly<Record<string, string>>;
    };

/**
 * Returns a public file with its entity tag, or 304 if the caller has it (RFC 9110 §13.1.2).
 * @param etag of the content; by default its SHA-256, which is a strong tag
 */
export function revalidate(
  file: PublicFile,
  ifNoneMatch: string | undefined,
  etag = strongTag(file.content),
): Revalidated {
  const headers = { ...file.headers, ETag: etag, 'Cache-Control': caching };
  if (matches(ifNoneMatch, etag)) return { status: 304, isEmpty: true, headers };
  // As bytes: Express would add a charset to a string, which these types do not have.
  return { status: 200, type: file.type, content: Buffer.from(file.content), headers };
}

export function strongTag(content: string | Uint8Array): string {
  return `"${createHash('sha256').update(content).digest('base64url')}"`;
}

/** Weak comparison (RFC 9110 §8.8.3.2), as If-None-Match requires. */
function matches(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  const bare = (tag: string): string => tag.trim().replace(/^W\//, '');
  return ifNoneMatch.split(',').some((tag) => bare(tag) === '*' || bare(tag) === bare(etag));
}
