import { createHash } from 'node:crypto';

/** Key sets and documents may be kept for five minutes, and for a day while we do not answer. */
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
 * A public file with its entity tag, or 304 for the caller who has it (RFC 9110 §13.1.2).
 * @param etag of the content; its SHA-256 when left out, which is a strong one
 */
export function revalidate(
  file: PublicFile,
  ifNoneMatch: string | undefined,
  etag = strongTag(file.content),
): Revalidated {
  const headers = { ...file.headers, ETag: etag, 'Cache-Control': caching };
  if (matches(ifNoneMatch, etag)) return { status: 304, isEmpty: true, headers };
  // As bytes: to a string Express would add a charset, which these types do not have.
  return { status: 200, type: file.type, content: Buffer.from(file.content), headers };
}

export function strongTag(content: string | Uint8Array): string {
  return `"${createHash('sha256').update(content).digest('base64url')}"`;
}

/** Weak comparison (RFC 9110 §8.8.3.2), which is the one for If-None-Match. */
function matches(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  const bare = (tag: string): string => tag.trim().replace(/^W\//, '');
  return ifNoneMatch.split(',').some((tag) => bare(tag) === '*' || bare(tag) === bare(etag));
}
