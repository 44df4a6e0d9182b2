import { afterAll, beforeAll, expect, it } from 'vitest';
import { signLogCheckpoint } from '../../activities/transparency/checkpoint.ts';
import { createLogSigner } from '../../activities/transparency/log-signer.ts';
import { signerOf } from '../../activities/transparency/note.ts';
import type { Db } from '../../db/client.ts';
import { migrate } from '../../db/migrate.ts';
import { findLogCheckpoint } from '../../db/queries/transparency.ts';
import { createDatabase } from '../harness.ts';
import { ownPlatform } from '../own-platform.ts';
import { migrateBefore } from './migrated-before.ts';

let db: Db;
let url = '';
let drop: () => Promise<void>;
beforeAll(async () => {
  const { databaseUrl } = ownPlatform();
  const before = (made: string) => migrateBefore(made, '0051');
  ({ db, url, drop } = await createDatabase(databaseUrl, before));
});
afterAll(() => drop());

it('checkpoints of before have the key that signed them, and a number of it', async () => {
  const [one, two] = ['one.example/log', 'two.example/log'].map((name) =>
    createLogSigner(Buffer.alloc(32, 3), name),
  );
  if (!one || !two) throw new Error('no signers');
  const signed = [one, one, two].map((signer, size) => ({ signer, size, number: (size % 2) + 1 }));
  const root = Buffer.alloc(32, 1);
  for (const { signer, size } of signed) {
    await db.query(
      `INSERT INTO transparency_checkpoints (size, root, note, created_at)
       VALUES ($1, $2, $3, now())`,
      [size, root, await signLogCheckpoint(signer, { size, root })],
    );
  }
  await migrate(url);
  const { rows } = await db.query(
    'SELECT signed_by, size, number FROM transparency_checkpoints ORDER BY size',
  );
  expect(rows).toEqual(
    signed.map(({ signer, size, number }) => ({ signed_by: signerOf(signer.key), size, number })),
  );
  expect(await findLogCheckpoint(db, signerOf(one.key))).toMatchObject({ size: 1, number: 2 });
  await expect(db.query('DELETE FROM transparency_checkpoints')).rejects.toThrow('added only');
});
