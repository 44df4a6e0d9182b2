import { createHash, createPublicKey, verify } from 'node:crypto';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { createDiskStore } from '../../../activities/storage/disk.ts';
import { appendToLog } from '../../../activities/transparency/append.ts';
import { layOutside } from '../../../activities/transparency/outside.ts';
import { createPublicLog, rangeHash } from '../../../activities/transparency/public-log.ts';
import { transaction } from '../../../db/client.ts';
import { randomIds } from '../../../db/ids.ts';
import { logSize } from '../../../db/queries/transparency.ts';
import { signLogCheckpoint } from '../../../domain/transparency/checkpoint.ts';
import { entryOf } from '../../../domain/transparency/entry.ts';
import { judgeProof, openCheckpoint } from '../../../domain/transparency/judge-proof.ts';
import { createLogSigner } from '../../../domain/transparency/log-signer.ts';
import {
  consistencyRanges,
  isConsistent,
  leafHash,
  type TreeHead,
} from '../../../domain/transparency/merkle.ts';
import { encodeNoteKey, signerOf } from '../../../domain/transparency/note.ts';
import { parseProof } from '../../../domain/transparency/proof-file.ts';
import { naiveRoot } from '../../support/fixtures/affidavits/naive.ts';
import { call, passedSession, withAffidavit } from '../../support/http/client.ts';
import { platformKeys } from '../../support/keys/bundles.ts';
import { eventually, openTestDb } from '../../support/platform/harness.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';
import { startSecondApi } from '../../support/platform/second-api.ts';

const { baseUrl, databaseUrl, dataDir } = ownPlatform();
const db = openTestDb(databaseUrl);
afterAll(() => db.end());
const origin = `${baseUrl.replace('http://', '')}/log`;
const logSigner = createLogSigner(platformKeys().secret('transparency-log'), origin);
const trust = { log: logSigner.key, witnesses: [], known: null };
const some = () => ({
  affidavit_id: randomIds.make('aff'),
  sha256: randomIds.bytes(32).toString('hex'),
  sealed_at: new Date(),
});
type Some = ReturnType<typeof some>;
const clock = (): Date => new Date();
const store = createDiskStore({
  directory: join(dataDir, 'objects'),
  baseUrl,
  secret: () => Buffer.alloc(32),
  clock,
});
const append = (affidavit: Some) => transaction(db, (tx) => appendToLog(tx, affidavit, new Date()));
const get = async (path: string): Promise<Buffer> => {
  const answer = await fetch(`${baseUrl}${path}`);
  expect([path, answer.status]).toEqual([path, 200]);
  return Buffer.from(await answer.arrayBuffer());
};
const headNow = async () => {
  const { text } = await call('GET', '/log/checkpoint');
  const head = openCheckpoint(text, logSigner.key);
  if (!head) throw new Error(`no checkpoint: ${text}`);
  return head;
};

describe('the transparency log', () => {
  it('contains an affidavit once it is available, with its proof stored beside it', async () => {
    const done = await withAffidavit(await passedSession());
    const { affidavit_id: id = '' } = done.body['affidavit'] as Record<string, string>;
    const { rows } = await db.query('SELECT * FROM affidavits WHERE affidavit_id = $1', [id]);
    const [{ sha256, sealed_at, affidavit_key, link_session_id }] = rows;
    const affidavit = { affidavit_id: id, sha256, sealed_at };
    const proof = await call('GET', `/log/proof/${id}`);
    const { status, headers } = proof;
    expect([status, headers.get('content-type')]).toEqual([200, 'text/plain; charset=utf-8']);
    expect(headers.get('content-disposition')).toContain(`affidavit-${id}.tlog-proof`);
    expect(headers.get('cache-control')).toBe('no-store');
    expect(judgeProof(proof.text, affidavit, trust)).toBeNull();
    const { index = -1, extra } = parseProof(proof.text) ?? {};
    expect(extra?.toString()).toBe(entryOf(affidavit));
    const known = await db.query('SELECT * FROM transparency_entries WHERE affidavit_id = $1', [
      id,
    ]);
    expect(known.rows.map((row) => [row.index, row.entry])).toEqual([[index, entryOf(affidavit)]]);
    for (const secret of [id, link_session_id]) expect(known.rows[0].entry).not.toContain(secret);
    const beside = affidavit_key.replace('.pdf', '.tlog-proof');
    const kept = await eventually('the proof beside it', () => store.get(beside));
    expect(judgeProof(Buffer.from(kept).toString(), affidavit, trust)).toBeNull();
    await eventually('its note', async () => {
      const marked = await db.query(
        'SELECT 1 FROM affidavits WHERE affidavit_id = $1 AND NOT awaits_log_proof',
        [id],
      );
      return marked.rowCount;
    });
    expect((await append(affidavit)).toString()).toBe(String(index));
  });

  it('has no gaps after concurrent and rolled-back appends', async () => {
    const before = await headNow();
    const all = Array.from({ length: 12 }, some);
    const lost = expect(
      transaction(db, async (tx) => {
        await appendToLog(tx, some(), new Date());
        throw new Error('taken back');
      }),
    ).rejects.toThrow('taken back');
    const [first = some()] = all;
    const added = await Promise.all([...all, first, first].map(append));
    await lost;
    expect(added.slice(-2)).toEqual([added[0], added[0]]);
    expect(new Set(added).size).toBe(all.length);
    const { rows } = await db.query(
      'SELECT count(*)::int AS count, max(index)::int AS last FROM transparency_entries',
    );
    expect(rows[0].count).toBe(rows[0].last + 1);
    const after = await headNow();
    expect(after.size).toBeGreaterThanOrEqual(before.size + all.length);
    const ranges = consistencyRanges(before.size, after.size);
    const path = await Promise.all(ranges.map((range) => rangeHash(db, range)));
    expect(isConsistent(before, after, path)).toBe(true);
  });

  it('can be read as tiles from which anyone can compute its root', async () => {
    const missing = Math.max(0, 300 - (await logSize(db)));
    for (const one of Array.from({ length: missing }, some)) await append(one);
    const { size, root } = await headNow();
    const full = Math.floor(size / 256);
    const names = Array.from({ length: full }, (_, at) => String(at).padStart(3, '0'));
    if (size % 256 > 0) names.push(`${String(full).padStart(3, '0')}.p/${size % 256}`);
    const tiles = await Promise.all(names.map((name) => get(`/log/tile/0/${name}`)));
    const bundles = await Promise.all(names.map((name) => get(`/log/tile/entries/${name}`)));
    const leaves = hashesIn(Buffer.concat(tiles));
    expect(leaves).toHaveLength(size);
    expect(entriesIn(Buffer.concat(bundles)).map(leafHash)).toEqual(leaves);
    expect(naiveRoot(leaves)).toEqual(root);
    const upper = hashesIn(await get(`/log/tile/1/000.p/${full}`));
    expect(upper).toEqual(
      names.slice(0, full).map((_, at) => naiveRoot(leaves.slice(at * 256, at * 256 + 256))),
    );
    const { headers } = await fetch(`${baseUrl}/log/tile/0/000`);
    expect(headers.get('content-type')).toBe('application/octet-stream');
    expect(headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    const checkpoint = await call('GET', '/log/checkpoint');
    expect(checkpoint.headers.get('cache-control')).toBe('no-cache');
    expect(checkpoint.headers.get('content-type')).toBe('text/plain; charset=utf-8');
  });

  it.each(['0/999', '0/x001/000', '0/000.p/0', '0/000.p/256', '9/000', 'entries/0', 'x', '1/000'])(
    'returns 404 for the tile %s',
    async (path) => {
      const { status, body } = await call('GET', `/log/tile/${path}`);
      expect([status, body['code']]).toEqual([404, 'not_found']);
    },
  );

  it('publishes its key as a JWK and as a note key', async () => {
    const answer = await call('GET', '/log/.well-known/jwks.json');
    const { name, publicKey } = logSigner.key;
    const x = publicKey.toString('base64url');
    const members = JSON.stringify({ crv: 'Ed25519', kty: 'OKP', x });
    const kid = createHash('sha256').update(members).digest('base64url');
    const note_key = encodeNoteKey(logSigner.key);
    const jwk = { kty: 'OKP', crv: 'Ed25519', x, kid, use: 'sig', alg: 'EdDSA', note_key };
    expect([answer.status, answer.body]).toEqual([200, { keys: [jwk] }]);
    expect(note_key.startsWith(`${name}+`)).toBe(true);
    const headers = { 'if-none-match': answer.headers.get('etag') ?? '' };
    const again = await call('GET', '/log/.well-known/jwks.json', { headers });
    expect([again.status, again.text]).toEqual([304, '']);
    const { text } = await call('GET', '/log/checkpoint');
    const [body = '', line = ''] = text.split('\n\n');
    const signature = Buffer.from(line.split(' ')[2] ?? '', 'base64').subarray(4);
    const read = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
    expect(verify(null, Buffer.from(`${body}\n`), read, signature)).toBe(true);
  });

  it('returns 404 for the proof of an unknown affidavit', async () => {
    const unknown = await call('GET', `/log/proof/${randomIds.make('aff')}`);
    expect([unknown.status, unknown.body['code']]).toEqual([404, 'not_found']);
    expect((await call('GET', '/log/proof/none')).status).toBe(422);
  });
});

describe('a log that is shorter than a checkpoint it has signed', () => {
  const name = 'restored.example/log';
  const lost = { size: 2 ** 40, root: Buffer.alloc(32) };
  const said = 'the log is shorter than a checkpoint it has signed';
  const restored = createLogSigner(platformKeys().secret('transparency-log'), name);

  it('is not signed until it gets another name', async () => {
    const signedBy = signerOf(restored.key);
    await layOutside(store, signedBy, 1, await signLogCheckpoint(restored, lost));
    const log = createPublicLog({ db, store, logSigner: restored, clock, witnessesWanted: 0 });
    expect(log.fault()).toBeNull();
    await expect(log.look()).rejects.toThrow(said);
    expect(log.fault()).toBe(said);
    await expect(log.newest()).rejects.toThrow(said);
    const api = await startSecondApi({ LOG_ORIGIN: name });
    try {
      const answer = await call('GET', '/log/checkpoint', { at: api.origin });
      expect([answer.status, answer.body]).toMatchObject([
        503,
        { code: 'dependency_unavailable', detail: said },
      ]);
    } finally {
      await api.stop();
    }
    const { rowCount } = await db.query(
      'SELECT 1 FROM transparency_checkpoints WHERE signed_by = $1',
      [signedBy],
    );
    expect(rowCount).toBe(0);
    const next = createLogSigner(platformKeys().secret('transparency-log'), `${name}-2`);
    const renamed = createPublicLog({ db, store, logSigner: next, clock, witnessesWanted: 0 });
    await renamed.look();
    expect((await renamed.newest()).note.split('\n')[0]).toBe(`${name}-2`);
    expect(renamed.fault()).toBeNull();
  });

  it('is detected by the last checkpoint stored outside the database', async () => {
    await append(some());
    const known: TreeHead[] = [];
    for (const end of [1, await logSize(db)])
      known.push({ size: end, root: await rangeHash(db, { start: 0, end }) });
    const laid = async (place: string, heads: TreeHead[]) => {
      const signer = createLogSigner(platformKeys().secret('transparency-log'), place);
      const lay = async (head: TreeHead, at: number) =>
        layOutside(store, signerOf(signer.key), at + 1, await signLogCheckpoint(signer, head));
      await Promise.all(heads.map(lay));
      return createPublicLog({ db, store, logSigner: signer, clock, witnessesWanted: 0 });
    };
    const seen = await laid('behind.example/log', [...known, lost]);
    for (const look of [seen.look, seen.newest]) await expect(look()).rejects.toThrow(said);
    const unseen = await laid('unseen.example/log', [...known, lost]);
    await expect(unseen.newest()).rejects.toThrow(said);
    // Other tests may have appended and signed once more.
    expect([2, 3]).toContain((await (await laid('sound.example/log', known)).newest()).number);
  });

  it('is detected too if the tree differs or a stored checkpoint is invalid', async () => {
    const [forked, odd] = ['forked.example/log', 'odd.example/log'].map((each) =>
      createLogSigner(platformKeys().secret('transparency-log'), each),
    );
    if (!forked || !odd) throw new Error('no signers');
    await append(some());
    const other = { size: 1, root: Buffer.alloc(32) };
    await layOutside(store, signerOf(forked.key), 1, await signLogCheckpoint(forked, other));
    const one = createPublicLog({ db, store, logSigner: forked, clock, witnessesWanted: 0 });
    await expect(one.newest()).rejects.toThrow('does not go on from its last checkpoint');
    await layOutside(store, signerOf(odd.key), 1, await signLogCheckpoint(forked, other));
    const two = createPublicLog({ db, store, logSigner: odd, clock, witnessesWanted: 0 });
    await expect(two.newest()).rejects.toThrow('is no checkpoint');
  });
});

describe('the tables of the log', () => {
  it.each([
    "UPDATE transparency_entries SET entry = 'x'",
    'DELETE FROM transparency_entries WHERE index = 0',
    'TRUNCATE transparency_entries',
    "UPDATE transparency_nodes SET hash = ''",
    'DELETE FROM transparency_nodes WHERE level = 0',
    'TRUNCATE transparency_nodes',
    "UPDATE transparency_checkpoints SET note = 'x'",
    'DELETE FROM transparency_checkpoints',
    'TRUNCATE transparency_checkpoints',
    "UPDATE transparency_cosignatures SET line = 'x'",
    'DELETE FROM transparency_cosignatures',
  ])('reject %s', async (statement) => {
    await expect(db.query(statement)).rejects.toThrow('rows of the public log are added only');
  });

  it('reject a row that leaves a gap', async () => {
    const gap = `INSERT INTO transparency_entries SELECT max(index) + 2, 'aff_gap', 'x', now()
      FROM transparency_entries`;
    await expect(db.query(gap)).rejects.toThrow('leave no gap');
  });

  it('get no signature after they were rewritten', async () => {
    await append(some());
    await createPublicLog({ db, store, logSigner, clock, witnessesWanted: 0 }).newest();
    const forged = transaction(db, async (tx) => {
      await appendToLog(tx, some(), new Date());
      await tx.query('ALTER TABLE transparency_nodes DISABLE TRIGGER USER');
      await tx.query('UPDATE transparency_nodes SET hash = sha256(hash)');
      await createPublicLog({ db: tx, store, logSigner, clock, witnessesWanted: 0 }).newest();
    });
    await expect(forged).rejects.toThrow('does not go on from its last checkpoint');
  });
});

const hashesIn = (bytes: Buffer): Buffer[] =>
  Array.from({ length: bytes.length / 32 }, (_, at) => bytes.subarray(at * 32, at * 32 + 32));

function entriesIn(bytes: Buffer): Buffer[] {
  const entries: Buffer[] = [];
  for (let at = 0; at < bytes.length;) {
    const end = at + 2 + bytes.readUInt16BE(at);
    entries.push(bytes.subarray(at + 2, end));
    at = end;
  }
  return entries;
}
