import { createDiskStore } from '../../../activities/storage/disk.ts';

/** Writes objects of one repeated byte until it is killed. */
const [directory = ''] = process.argv.slice(2);
const store = createDiskStore({
  directory,
  baseUrl: 'http://127.0.0.1:1',
  secret: () => Buffer.alloc(32),
  clock: () => new Date(),
});
process.stdout.write('writing\n');
for (let index = 0; ; index = (index + 1) % 8) {
  const body = Buffer.alloc(2_000_000 + index, index);
  const ifAbsent = index % 2 === 0;
  await store.put({ key: `objects/${index}`, body, contentType: 'application/pdf', ifAbsent });
  if (ifAbsent) await store.remove(`objects/${index}`);
}
