import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDiskStore } from '../../activities/storage/disk.ts';
import { appendToLog } from '../../activities/transparency/append.ts';
import { requestCosignature } from '../../activities/transparency/request-cosignature.ts';
import { cosign } from '../../activities/transparency/cosign.ts';
import { createPublicLog, type PublicLog } from '../../activities/transparency/public-log.ts';
import { witnessConfig, type Witness } from '../../activities/transparency/witnesses.ts';
import { transaction } from '../../db/client.ts';
import { signLogCheckpoint } from '../../domain/transparency/checkpoint.ts';
import { openCheckpoint } from '../../domain/transparency/judge-proof.ts';
import { createLogSigner } from '../../domain/transparency/log-signer.ts';
import {
  encodeNoteKey,
  parseNote,
  parseNoteKey,
  signatureTypes,
  signedBy,
} from '../../domain/transparency/note.ts';
import { parseProof } from '../../domain/transparency/proof-file.ts';
import { logProofs } from '../../workers/outboxes/sweeps/log-proofs.ts';
import { witnessedCheckpoints } from '../../workers/outboxes/sweeps/witnessed-checkpoints.ts';
import { closeStage, stage, type Stage } from '../support/races/stage.ts';
import { unprovenAffidavit } from '../support/races/unproven.ts';
import { startTlogWitness, type TlogWitness } from '../support/stand-ins/keys/tlog-witness.ts';

const signer = createLogSigner(Buffer.alloc(32, 11), 'witnessed.example/log');
const name = signer.key.name;
const log = pino({ enabled: false });
const signal = new AbortController().signal;
let now = new Date();
const clock = (): Date => now;
let on: Stage;
let directory = '';
let publicLog: PublicLog;
const started: TlogWitness[] = [];

beforeAll(async () => {
  on = await stage();
  directory = await mkdtemp(join(tmpdir(), 'trustcheck-witness-'));
  publicLog = logWith(0);
  await grow(5);
});
afterAll(async () => {
  for (const each of started) await each.stop();
  await closeStage();
  await rm(directory, { recursive: true, force: true });
});

const diskStore = () =>
  createDiskStore({ directory, baseUrl: '', secret: () => Buffer.alloc(32), clock });
const logWith = (witnessesWanted: number, witnesses: readonly Witness[] = []): PublicLog =>
  createPublicLog({
    db: on.db,
    store: diskStore(),
    logSigner: signer,
    clock,
    witnessesWanted,
    witnesses,
  });

async function grow(count: number): Promise<void> {
  for (let place = 0; place < count; place += 1) {
    const sha256 = on.ids.bytes(32).toString('hex');
    const affidavit = { affidavit_id: on.ids.make('aff'), sha256, sealed_at: new Date() };
    await transaction(on.db, (tx) => appendToLog(tx, affidavit, new Date()));
  }
}

async function witness(): Promise<{ standIn: TlogWitness; witness: Witness }> {
  const standIn = await startTlogWitness(`w${started.length}.example`, [signer.key]);
  started.push(standIn);
  const [made] =
    witnessConfig.parse({ LOG_WITNESSES: `${standIn.vkey} ${standIn.url}/` }).LOG_WITNESSES ?? [];
  if (!made) throw new Error('no witness');
  return { standIn, witness: made };
}

/** The status of a witness's signature on the published checkpoint. */
async function standing({ key }: Witness): Promise<string> {
  const note = parseNote(await publicLog.noteOf(await publicLog.newest()));
  return note ? signedBy(note, key) : 'no note';
}

describe('a witness', () => {
  it('signs each checkpoint with a consistency proof from the last one', async () => {
    const { standIn, witness: one } = await witness();
    standIn.besides(`— another.example ${Buffer.alloc(76, 1).toString('base64')}\n`);
    for (const more of [0, 1, 6, 20]) {
      await grow(more);
      const newest = await publicLog.newest();
      expect(await cosign({ db: on.db, clock }, one, newest)).toBe('cosigned');
      expect(await cosign({ db: on.db, clock }, one, newest)).toBe('cosigned');
      expect([standIn.sizeOf(name), await standing(one)]).toEqual([newest.size, 'ok']);
    }
    expect(standIn.requests).toHaveLength(4);
    const text = await publicLog.noteOf(await publicLog.newest());
    expect(openCheckpoint(text, signer.key)?.size).toBe(standIn.sizeOf(name));
    expect(text).not.toContain('another.example');
  });

  it('with another known size gets a proof from that size', async () => {
    const { standIn, witness: one } = await witness();
    const shown = { oldSize: 0, proof: [], note: (await publicLog.newest()).note };
    expect(await requestCosignature(one, shown)).toMatchObject({ kind: 'cosigned' });
    const size = standIn.sizeOf(name);
    expect(await requestCosignature(one, shown)).toEqual({ kind: 'knows', size });
    expect(await cosign({ db: on.db, clock }, one, await publicLog.newest())).toBe('cosigned');
    await grow(3);
    await on.db.query('ALTER TABLE transparency_cosignatures DISABLE TRIGGER USER');
    await on.db.query('TRUNCATE transparency_cosignatures');
    await on.db.query('ALTER TABLE transparency_cosignatures ENABLE TRIGGER USER');
    expect(await cosign({ db: on.db, clock }, one, await publicLog.newest())).toBe('cosigned');
    expect([standIn.sizeOf(name), await standing(one)]).toEqual([size + 3, 'ok']);
  });

  it('that knows a longer log or another tree has not signed', async () => {
    const { standIn, witness: one } = await witness();
    const newest = await publicLog.newest();
    standIn.know(name, { size: newest.size + 1, root: Buffer.alloc(32) });
    expect(await cosign({ db: on.db, clock }, one, newest)).toBe('ahead');
    for (const size of [newest.size, newest.size - 1]) {
      standIn.know(name, { size, root: Buffer.alloc(32) });
      expect(await cosign({ db: on.db, clock }, one, newest)).toBe('refused');
    }
    expect(await standing(one)).toBe('absent');
  });

  it('that signed a later checkpoint for another worker raises no alarm', async () => {
    const { standIn, witness: one } = await witness();
    const earlier = await publicLog.newest();
    await grow(2);
    const newest = await publicLog.newest();
    const deps = { db: on.db, clock };
    standIn.know(name, newest);
    // The later signature is not stored yet.
    expect(await cosign(deps, one, earlier)).toBe('outrun');
    expect(await cosign(deps, one, newest)).toBe('cosigned');
    const asked = standIn.requests.length;
    expect(await cosign(deps, one, earlier)).toBe('cosigned');
    expect(standIn.requests).toHaveLength(asked);
  });

  it('refuses the requests that the specification says it refuses', async () => {
    const { witness: one } = await witness();
    const { note, size } = await publicLog.newest();
    const other = createLogSigner(Buffer.alloc(32, 12), name);
    const unknown = createLogSigner(Buffer.alloc(32, 11), 'unknown.example/log');
    const head = { size, root: Buffer.alloc(32) };
    const some = { oldSize: 0, proof: [], note };
    const ask = async (shown: Partial<typeof some>) =>
      requestCosignature(one, { ...some, ...shown });
    const refused = (status: number) => ({ kind: 'refused', status });
    expect(await ask({ note: await signLogCheckpoint(unknown, head) })).toEqual(refused(404));
    expect(await ask({ note: await signLogCheckpoint(other, head) })).toEqual(refused(403));
    expect(await ask({ oldSize: size + 1 })).toEqual(refused(400));
    expect(await requestCosignature(one, { ...some, proof: [Buffer.alloc(32)] })).toEqual(
      refused(422),
    );
    expect(await ask({})).toMatchObject({ kind: 'cosigned' });
  });

  it.each<[string, (standIn: TlogWitness, text: string) => string]>([
    ['an empty body', () => ''],
    ['a line that is not a signature', () => 'signed!\n'],
    ['a line of another key', () => `— w.example ${Buffer.alloc(76, 1).toString('base64')}\n`],
    ['its signature of another text', (standIn, text) => standIn.cosign(`${text}x\n`)],
    [
      'its signature and a bad one',
      (standIn, text) => standIn.cosign(text) + standIn.cosign('x\n'),
    ],
    ['a body that is too long', (standIn, text) => standIn.cosign(text).repeat(200)],
  ])('that answers with %s has not signed', async (_what, answer) => {
    const { standIn, witness: one } = await witness();
    const newest = await publicLog.newest();
    const { text = '' } = parseNote(newest.note) ?? {};
    standIn.failNext({ status: 200, text: answer(standIn, text) });
    expect(await cosign({ db: on.db, clock }, one, newest)).toBe('refused');
    expect(await standing(one)).toBe('absent');
  });

  it('that reports a malformed size is not believed', async () => {
    const { standIn, witness: one } = await witness();
    const headers = { 'content-type': 'text/x.tlog.size' };
    for (const text of ['-1\n', '01\n', '5', 'x\n', '1e3\n', '']) {
      standIn.failNext({ status: 409, headers, text });
      expect(await cosign({ db: on.db, clock }, one, await publicLog.newest())).toBe('refused');
    }
  });
});

describe('witnesses of a worker', () => {
  it('block neither checkpoints nor each other; a failing one is asked less and less often', async () => {
    const [away, there] = [await witness(), await witness()];
    away.standIn.failNext('reset', 3);
    const kept = { publicLog, witnesses: [away.witness, there.witness] };
    const { drain } = witnessedCheckpoints({ db: on.db, clock, kept, log });
    const rounds: number[] = [];
    for (const seconds of [0, 1, 5, 1, 8, 1, 10, 20, 1]) {
      now = new Date(now.getTime() + seconds * 1000);
      await grow(1);
      await drain(signal);
      expect(await standing(there.witness)).toBe('ok');
      rounds.push(away.standIn.requests.length);
    }
    // The waits after a failure: five, ten, then twenty seconds.
    expect(rounds).toEqual([1, 1, 2, 2, 2, 3, 3, 4, 5]);
    expect(await standing(away.witness)).toBe('ok');
  });

  it('hold back a proof until enough have signed, for at most ten minutes', async () => {
    const [{ witness: one }, { witness: former }] = [await witness(), await witness()];
    const wanted = logWith(1, [one]);
    await on.db.query('UPDATE affidavits SET awaits_log_proof = false');
    const id = await unprovenAffidavit(on, now);
    const { rows } = await on.db.query('SELECT * FROM affidavits WHERE affidavit_id = $1', [id]);
    await transaction(on.db, (tx) => appendToLog(tx, rows[0], now));
    const store = diskStore();
    const client = new Client({ connection: Connection.lazy() });
    const prove = () =>
      logProofs({ db: on.db, client, clock, log, kept: { store, publicLog: wanted } }).drain(
        signal,
      );
    const laid = async (of: string) => {
      const bytes = await store.get(`affidavits/1/${of}/v1.tlog-proof`);
      const proof = bytes && parseProof(Buffer.from(bytes).toString());
      const note = proof && parseNote(proof.checkpoint);
      return note && signedBy(note, one.key);
    };
    await cosign({ db: on.db, clock }, former, await wanted.newest());
    await prove();
    expect(await laid(id)).toBeNull();
    await cosign({ db: on.db, clock }, one, await wanted.newest());
    await grow(1);
    await prove();
    expect(await laid(id)).toBe('ok');
    const late = await unprovenAffidavit(on, new Date(now.getTime() - 600_000));
    const row = await on.db.query('SELECT * FROM affidavits WHERE affidavit_id = $1', [late]);
    await transaction(on.db, (tx) => appendToLog(tx, row.rows[0], now));
    await prove();
    expect(await laid(late)).toBe('absent');
    await client.connection.close();
  });
});

describe('LOG_WITNESSES', () => {
  const made = { name: 'w.example', publicKey: Buffer.alloc(32, 1) };
  const key = encodeNoteKey({ ...made, type: signatureTypes.cosignature });
  it('accepts a key with its address', () => {
    const read = witnessConfig.safeParse({ LOG_WITNESSES: ` ${key}  https://w.example/w/ ` });
    expect(read.data?.LOG_WITNESSES?.map(({ url }) => url)).toEqual(['https://w.example/w']);
  });

  it.each([
    '',
    'https://w.example',
    key,
    `${key} ftp://w.example`,
    `${key} http://w.example`,
    `${key} https://w.example more`,
    `${key} https://w.example,`,
    `${key.slice(0, -2)}A= https://w.example`,
    `${encodeNoteKey({ ...made, type: signatureTypes.note })} https://w.example`,
  ])('refuses %j', (text) => {
    expect(witnessConfig.safeParse({ LOG_WITNESSES: text }).success).toBe(false);
  });

  it('accepts each key once, at most 16 keys, and only cosignature keys', async () => {
    const [one, two] = [await witness(), await witness()];
    const [first, second] = [one, two].map(({ standIn }) => `${standIn.vkey} ${standIn.url}`);
    const read = (text: string) => witnessConfig.safeParse({ LOG_WITNESSES: text });
    expect(read(`${first}, ${second}`).data?.LOG_WITNESSES).toEqual([one.witness, two.witness]);
    expect(read(`${first},${first}`).success).toBe(false);
    const many = Array.from({ length: 17 }, () => first).join(',');
    expect(read(many).success).toBe(false);
    expect(parseNoteKey(one.standIn.vkey)?.type).toBe(4);
  });
});
