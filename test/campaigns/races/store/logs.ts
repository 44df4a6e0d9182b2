import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { createDiskStore } from '../../../../activities/storage/disk.ts';
import { appendToLog } from '../../../../activities/transparency/append.ts';
import { readOutside } from '../../../../activities/transparency/outside.ts';
import { createPublicLog } from '../../../../activities/transparency/public-log.ts';
import { transaction } from '../../../../db/client.ts';
import { createLogSigner } from '../../../../domain/transparency/log-signer.ts';
import { signerOf } from '../../../../domain/transparency/note.ts';
import { atOnce, type Race } from '../../../support/races/race.ts';
import { stage, staged, type Stage } from '../../../support/races/stage.ts';

const some = ({ ids }: Stage) => ({
  affidavit_id: ids.make('aff'),
  sha256: ids.bytes(32).toString('hex'),
  sealed_at: new Date(),
});

const appended: Race = {
  name: 'log-appended',
  rule: 'an affidavit has one entry, whoever enters it, and the log no gap',
  statements: ['transparency.lock', 'transparency.insert'],
  async prepare() {
    const on = await stage();
    return async (callers) => {
      // Two callers enter each of them.
      const all = Array.from({ length: Math.ceil(callers / 2) }, () => some(on));
      const indices = await atOnce(callers, (place) =>
        transaction(on.db, (tx) =>
          appendToLog(tx, all[place % all.length] ?? some(on), new Date()),
        ),
      );
      expect(new Set(indices).size).toBe(all.length);
      expect(indices).toEqual(Array.from(indices, (_, at) => indices[at % all.length]));
      const rows = await staged(
        on,
        'SELECT count(*)::int AS count, max(index)::int + 1 AS size FROM transparency_entries',
        [],
      );
      expect(rows[0]?.['count']).toBe(rows[0]?.['size']);
      return indices.map(() => 'entered');
    };
  },
};

const signed: Race = {
  name: 'log-signed',
  rule: 'a size of the log has one checkpoint, whoever signs it, and it lies outside as well',
  statements: ['transparency.add_checkpoint'],
  async prepare(atEnd) {
    const on = await stage();
    const directory = await mkdtemp(join(tmpdir(), 'trustcheck-log-race-'));
    atEnd(() => rm(directory, { recursive: true, force: true }));
    const { db, clock } = on;
    const store = createDiskStore({
      directory,
      baseUrl: '',
      secret: () => Buffer.alloc(32),
      clock,
    });
    const name = `${on.ids.uuid()}.example/log`;
    let count = 0;
    return async (callers) => {
      await transaction(db, (tx) => appendToLog(tx, some(on), new Date()));
      let signatures = 0;
      const signer = createLogSigner(Buffer.alloc(32, 9), name);
      const logSigner = {
        ...signer,
        sign: (tbs: Uint8Array) => {
          signatures += 1;
          return signer.sign(tbs);
        },
      };
      // Half of the callers use one process, the others one each.
      const asked = createPublicLog({ db, store, logSigner, clock, witnessesWanted: 0 });
      const notes = await atOnce(callers, async (place) => {
        if (place % 2 === 0) return (await asked.newest()).note;
        const own = createPublicLog({ db, store, logSigner: signer, clock, witnessesWanted: 0 });
        return (await own.newest()).note;
      });
      expect(new Set(notes).size).toBe(1);
      expect(signatures).toBeLessThanOrEqual(1);
      count += 1;
      const by = signerOf(signer.key);
      const rows = 'SELECT number, note FROM transparency_checkpoints WHERE signed_by = $1';
      expect((await staged(on, `${rows} ORDER BY number`, [by])).at(-1)).toEqual({
        number: count,
        note: notes[0],
      });
      expect(await readOutside(store, by, count)).toBe(notes[0]);
      expect(await readOutside(store, by, count + 1)).toBeNull();
      return notes.map(() => 'the same');
    };
  },
};

/** Races about the public log. */
export const logRaces: readonly Race[] = [appended, signed];
