import { createHash } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { deadline } from '../runtime/cancellation.ts';
import type { ObjectStore } from '../storage/object-store.ts';
import { providerDown } from './provider.ts';

/** Lists that States publish, as last fetched: one copy for all workers. */
export interface PublishedLists {
  /** Returns the bytes last kept for an address; null where there are none. */
  of(url: string): Promise<Uint8Array | null>;
  keep(url: string, bytes: Uint8Array): Promise<void>;
}

/** Keeps the lists in the object store, each under the hash of its address. */
export function createPublishedLists(store: ObjectStore): PublishedLists {
  const keyOf = (url: string): string => `trust/${createHash('sha256').update(url).digest('hex')}`;
  return {
    of: (url) => store.get(keyOf(url)),
    async keep(url, body) {
      await store.put({ key: keyOf(url), body, contentType: 'application/octet-stream' });
    },
  };
}

const timeoutMs = 30_000;
const provider = 'published list';

/**
 * Fetches a list over http, https or from a `file:` URL. The transport need not be secure, because
 * the list is signed.
 * @throws Failure `dependency_unavailable` when there is no response, or one over `sizeBytesMax`
 */
export async function fetchList(address: string, sizeBytesMax: number): Promise<Uint8Array> {
  const url = new URL(address);
  try {
    if (url.protocol === 'file:') {
      if ((await stat(url)).size > sizeBytesMax) throw new Error('too long');
      return await readFile(url);
    }
    const response = await fetch(url, { redirect: 'error', signal: deadline(timeoutMs) });
    if (response.status !== 200) throw new Error('refused');
    return await readBounded(response, sizeBytesMax);
  } catch {
    throw providerDown(provider, undefined);
  }
}

/**
 * Reads the body of a response.
 * @throws Error when it exceeds `sizeBytesMax`, or when the connection breaks
 */
export async function readBounded(
  { body }: { readonly body: AsyncIterable<Uint8Array> | null },
  sizeBytesMax: number,
): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let sizeBytes = 0;
  for await (const part of body ?? []) {
    sizeBytes += part.length;
    if (sizeBytes > sizeBytesMax) throw new Error('too long');
    parts.push(part);
  }
  return Buffer.concat(parts);
}
