import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDiskStore } from '../../../activities/storage/disk.ts';
import { readOutside } from '../../../activities/transparency/outside.ts';
import type { LoggedAffidavit } from '../../../domain/transparency/entry.ts';
import { judgeProof } from '../../../domain/transparency/judge-proof.ts';
import { createLogSigner } from '../../../domain/transparency/log-signer.ts';
import { signerOf } from '../../../domain/transparency/note.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';
import { closeStage, stage, staged, type Stage } from '../../support/races/stage.ts';
import { unprovenAffidavit } from '../../support/races/unproven.ts';
import { proveAll, type ChildPlan } from './log-child.ts';

const { databaseUrl } = ownPlatform();
const seed = Buffer.alloc(32, 5);
const signer = createLogSigner(seed, 'killed.example/log');
let on: Stage;
let plan: ChildPlan;

beforeAll(async () => {
  on = await stage();
  const { rows } = await on.db.query<{ name: string }>('SELECT current_database() AS name');
  plan = {
    databaseUrl: databaseUrl.replace(/[^/]+$/, rows[0]?.name ?? ''),
    directory: await mkdtemp(join(tmpdir(), 'trustcheck-log-')),
    seed: seed.toString('hex'),
    name: signer.key.name,
    point: null,
  };
});
afterAll(async () => {
  await closeStage();
  await rm(plan.directory, { recursive: true, force: true });
});

describe('kill -9 of the writer of the public log', () => {
  it('leaves each entry, checkpoint and proof once, whatever the step', async () => {
    const program = fileURLToPath(new URL('log-child.ts', import.meta.url));
    const ids: string[] = [];
    for (const point of ['entering', 'entered', 'laid', 'kept', 'proven'] as const) {
      ids.push(await unprovenAffidavit(on));
      const child = spawn(process.execPath, [program, JSON.stringify({ ...plan, point })], {
        stdio: ['ignore', 'ignore', 'inherit'],
      });
      expect([point, ...(await once(child, 'exit'))]).toEqual([point, null, 'SIGKILL']);
      const { length } = await staged(on, 'SELECT 1 FROM transparency_entries', []);
      expect([point, length]).toEqual([point, ids.length - (point === 'entering' ? 1 : 0)]);
      await proveAll(plan);
    }
    const clock = (): Date => new Date();
    const { directory } = plan;
    const disk = createDiskStore({ directory, baseUrl: '', secret: () => seed, clock });
    const rows = await staged(on, 'SELECT * FROM affidavits WHERE affidavit_id = ANY ($1)', [ids]);
    expect(rows.map((row) => row['awaits_log_proof'])).toEqual(ids.map(() => false));
    for (const row of rows) {
      const { affidavit_key, ...affidavit } = row as unknown as LoggedAffidavit & {
        affidavit_key: string;
      };
      const key = affidavit_key.replace('.pdf', '.tlog-proof');
      const text = Buffer.from((await disk.get(key)) ?? []).toString();
      const trust = { log: signer.key, witnesses: [], known: null };
      expect(judgeProof(text, affidavit, trust)).toBeNull();
    }
    const entries = 'SELECT affidavit_id FROM transparency_entries ORDER BY index';
    expect(await staged(on, entries, [])).toEqual(ids.map((id) => ({ affidavit_id: id })));
    const kept = await staged(
      on,
      'SELECT number, size, note FROM transparency_checkpoints ORDER BY number',
      [],
    );
    const numbers = kept.map((_, at) => at + 1);
    expect(kept.map(({ number }) => number)).toEqual(numbers);
    expect(new Set(kept.map(({ size }) => size)).size).toBe(kept.length);
    const laid = await Promise.all(
      [...numbers, kept.length + 1].map((number) =>
        readOutside(disk, signerOf(signer.key), number),
      ),
    );
    expect(laid).toEqual([...kept.map(({ note }) => note), null]);
  }, 120_000);
});
