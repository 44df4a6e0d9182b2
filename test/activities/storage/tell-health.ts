import { createDiskStore } from '../../../activities/storage/disk.ts';

/** Prints the health of a store in a directory in one word. */
const [directory = ''] = process.argv.slice(2);
const store = createDiskStore({
  directory,
  baseUrl: 'http://127.0.0.1:1',
  secret: () => Buffer.alloc(32),
  clock: () => new Date(),
  freeBytesMin: 0,
});
await store.health().then(
  () => process.stdout.write('good'),
  (error: unknown) => process.stdout.write(String(Object(error).code)),
);
