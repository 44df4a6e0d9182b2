import { createDiskStore } from '../../../activities/storage/disk.ts';
import type { ObjectStore } from '../../../activities/storage/object-store.ts';
import { ownPlatform } from '../platform/own-platform.ts';

/** Returns the object store of the test platform, for direct reads and writes. */
export function ownStore(): ObjectStore {
  const { baseUrl, dataDir } = ownPlatform();
  const secret = () => Buffer.alloc(32);
  return createDiskStore({
    directory: `${dataDir}/objects`,
    baseUrl,
    secret,
    clock: () => new Date(),
  });
}
