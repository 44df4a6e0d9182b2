import { createHash } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { deadline } from '../runtime/cancellation.ts';
import type { ObjectStore } from '../storage/object-store.ts';
import { providerDown } from './provider.ts';

/** What States publish, as it was last fetched: one copy for all workers. */
export interface PublishedLists {
  /** The bytes fetched from an address; null where none were taken yet. */
  of(url: string): Promise<Uint8Array | null>;
  keep(url: string, bytes: Uint8Array): Promise<void>;
}

/** Keeps them in the object store, each under the hash of its address. */
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
 * Fetches a list over http, https or from a `file:`; what it is worth its signature tells, not the
 * way it came. Throws `dependency_unavailable` for whoever does not answer, or answers with more
 * than `sizeBytesMax`.
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

/** The body of an answer. Throws when it is longer, or breaks off. */
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
