import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createDiskStore } from '../../../activities/storage/disk.ts';
import { abandonedUploads } from '../../../workers/outboxes/sweeps/abandoned-uploads.ts';
import { eventually } from '../../support/platform/harness.ts';
import type { Field } from './field.ts';

/** The objects of a check with an interrupted upload, before and after the sweep. */
export interface CutUpload {
  readonly before: number;
  readonly rows: number;
  readonly swept: number;
  /** The end of the check after the API was restarted. */
  readonly status: string;
}

/**
 * Kills the API between an object and its row, which waits for a lock held here. Then ages the note
 * of the object, sweeps, and lets the check continue.
 */
export async function cutUpload(field: Field, step: string): Promise<CutUpload> {
  const { db, platform } = field;
  const { dataDir, baseUrl } = platform.facts;
  const check = field.addCheck();
  await check.goOn(step);
  const id = check.linkSessionId() ?? '';
  const folder = join(dataDir, 'objects', 'evidence', id);
  const count = async (): Promise<number> =>
    existsSync(folder) ? (await readdir(folder)).length : 0;
  const lock = await db.connect();
  await lock.query('BEGIN');
  await lock.query('SELECT FROM trust_checks WHERE link_session_id = $1 FOR UPDATE', [id]);
  const going = check.goOn(null);
  going.catch(() => undefined);
  await eventually('the object', async () => (await count()) > 0);
  await platform.kill('api');
  await lock.query('ROLLBACK');
  lock.release();
  const before = await count();
  const rows = await db.query('SELECT FROM evidence WHERE link_session_id = $1', [id]);
  await db.query(
    `UPDATE evidence_uploads SET begun_at = begun_at - interval '11 minutes'
     WHERE object_key LIKE $1`,
    [`evidence/${id}/%`],
  );
  const clock = (): Date => new Date();
  const directory = join(dataDir, 'objects');
  const store = createDiskStore({ directory, baseUrl, secret: () => Buffer.alloc(32), clock });
  const { signal } = new AbortController();
  await abandonedUploads({ db, kept: { store }, clock }).drain(signal);
  await eventually('the sweep', async () => (await count()) === 0);
  const swept = await count();
  await platform.restart('api');
  await going;
  return { before, rows: rows.rowCount ?? 0, swept, status: (await check.ended).status };
}
