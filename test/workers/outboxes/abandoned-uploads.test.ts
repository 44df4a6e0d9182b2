import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDiskStore } from '../../../activities/storage/disk.ts';
import { transaction, type Db } from '../../../db/client.ts';
import { beginUpload, endUpload } from '../../../db/queries/evidence-uploads.ts';
import { abandonedUploads } from '../../../workers/outboxes/sweeps/abandoned-uploads.ts';
import { createDatabase } from '../../support/platform/harness.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';

const now = new Date('2026-11-22T12:00:00Z');
const minutesAgo = (minutes: number): Date => new Date(now.getTime() - minutes * 60_000);
const directory = mkdtempSync(join(tmpdir(), 'trustcheck-abandoned-uploads-'));
const clock = (): Date => now;
const store = createDiskStore({
  directory,
  baseUrl: 'http://x',
  secret: () => Buffer.alloc(32),
  clock,
});
let db: Db;
let drop: () => Promise<void>;

beforeAll(async () => {
  ({ db, drop } = await createDatabase(ownPlatform().databaseUrl));
  await db.query('ALTER TABLE evidence DISABLE TRIGGER ALL');
});
afterAll(async () => {
  await drop();
  rmSync(directory, { recursive: true, force: true });
});

const uploadOf = (name: string, by = 'up_1') => ({
  objectKey: `evidence/ls_1/${name}`,
  evidenceId: name,
  uploadId: by,
});
async function put(name: string): Promise<void> {
  const { objectKey: key } = uploadOf(name);
  await store.put({ key, body: Buffer.from(name), contentType: 'application/octet-stream' });
}
const isThere = async (name: string): Promise<boolean> =>
  (await store.get(uploadOf(name).objectKey)) !== null;
const end = (name: string): Promise<boolean> =>
  transaction(db, (tx) => endUpload(tx, uploadOf(name).objectKey));
async function noted(): Promise<string[]> {
  const { rows } = await db.query('SELECT evidence_id FROM evidence_uploads ORDER BY 1');
  return rows.map(({ evidence_id }) => evidence_id);
}
const sweep = (erase = store.erase): Promise<void> =>
  abandonedUploads({ db, kept: { store: { erase } }, clock }).drain(new AbortController().signal);

describe('abandoned uploads', () => {
  it('are removed with their records; kept and running uploads stay', async () => {
    for (const [name, age] of [
      ['cut', 11],
      ['kept', 11],
      ['young', 9],
    ] as const) {
      expect(await beginUpload(db, uploadOf(name), minutesAgo(age))).toBe(true);
      await put(name);
    }
    await db.query(
      `INSERT INTO evidence (evidence_id, link_session_id, name, sha256, size_bytes, content_type,
         object_key, created_at) VALUES ('kept', 'ls_1', 'x', 'x', 4, 'x', 'x', now())`,
    );
    await expect(sweep(() => Promise.reject(new Error('away')))).rejects.toThrow('away');
    expect(await noted()).toEqual(['cut', 'young']);
    // The store may have removed the object: until that is certain, the same upload is refused.
    expect(await end('cut')).toBe(false);
    expect(await beginUpload(db, uploadOf('cut'), now)).toBe(false);
    await sweep();
    expect(await noted()).toEqual(['cut', 'young']);
    await db.query(`UPDATE evidence_uploads SET swept_at = $1 WHERE swept_at IS NOT NULL`, [
      minutesAgo(2),
    ]);
    await sweep();
    expect(await noted()).toEqual(['young']);
    expect(await Promise.all(['cut', 'kept', 'young'].map(isThere))).toEqual([false, true, true]);
    expect(await beginUpload(db, uploadOf('cut'), now)).toBe(true);
    expect([await end('cut'), await end('cut'), await end('young')]).toEqual([true, false, true]);
  });

  it('do not take an object that another upload of the same file has kept', async () => {
    const [first, second] = [uploadOf('both', 'up_1'), uploadOf('both', 'up_3')];
    expect(await beginUpload(db, first, minutesAgo(12))).toBe(true);
    expect(await end('both')).toBe(true);
    await put('both');
    await db.query(
      `INSERT INTO evidence (evidence_id, link_session_id, name, sha256, size_bytes, content_type,
         object_key, created_at) VALUES ('both', 'ls_1', 'x', 'x', 4, 'x', 'x', now())`,
    );
    expect(await beginUpload(db, second, minutesAgo(11))).toBe(true);
    await sweep();
    expect([await noted(), await isThere('both')]).toEqual([[], true]);
  });
});
