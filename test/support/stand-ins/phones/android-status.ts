import { createHash } from 'node:crypto';
import { startProvider, type Provider } from '../provider.ts';

export interface AndroidStatusStandIn extends Provider {
  /** URL of the list. */
  readonly listUrl: string;
  /** Replaces the list. */
  publish(entries: Readonly<Record<string, unknown>>): void;
  /** Sets the `Cache-Control` header; null omits it. */
  keepFor(cacheControl: string | null): void;
}

/**
 * The list of revoked attestation keys as Google serves it: `GET /attestation/status`, JSON, with
 * `Cache-Control` and an `ETag`. Answers 304 to a client that has the current list.
 */
export async function startAndroidStatus(): Promise<AndroidStatusStandIn> {
  let list: { entries: Readonly<Record<string, unknown>> } = { entries: {} };
  let cacheControl: string | null = 'public, max-age=3600';
  const provider = await startProvider(({ method, path, headers }) => {
    if (path !== '/attestation/status') return { status: 404 };
    if (method !== 'GET') return { status: 405, headers: { Allow: 'GET' } };
    if (headers.accept !== 'application/json') return { status: 406 };
    const hash = createHash('sha256').update(JSON.stringify(list)).digest('base64url');
    const etag = `"${hash}"`;
    const answer = { ETag: etag, ...(cacheControl ? { 'Cache-Control': cacheControl } : {}) };
    if (headers['if-none-match'] === etag) return { status: 304, headers: answer };
    return { status: 200, headers: answer, body: list };
  });
  return {
    ...provider,
    listUrl: `${provider.url}/attestation/status`,
    publish: (entries) => void (list = { entries }),
    keepFor: (header) => void (cacheControl = header),
  };
}
