import { generateKeyPairSync, sign } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { parseLogCheckpoint, signLogCheckpoint } from '../../../domain/transparency/checkpoint.ts';
import { entryOf } from '../../../domain/transparency/entry.ts';
import {
  judgeProof,
  openCheckpoint,
  type LogFault,
} from '../../../domain/transparency/judge-proof.ts';
import { createLogSigner } from '../../../domain/transparency/log-signer.ts';
import { leafHash, nodeHash } from '../../../domain/transparency/merkle.ts';
import {
  encodeNoteKey,
  parseNote,
  parseNoteKey,
  signatureLine,
  signatureTypes,
  signedBy,
  type NoteKey,
} from '../../../domain/transparency/note.ts';
import { encodeProof, parseProof } from '../../../domain/transparency/proof-file.ts';
import { parseTile } from '../../../domain/transparency/tile.ts';

/** Key and note from the tests of Go's golang.org/x/mod/sumdb/note. */
const published = {
  key: 'PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW',
  text:
    'If you think cryptography is the answer to your problem,\n' +
    "then you don't know what your problem is.\n",
  line:
    '— PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotp' +
    'RZb6KE6RyyBwJnAM=\n',
} as const;

const signer = createLogSigner(Buffer.alloc(32, 7), 'log.example/affidavits');
const log = signer.key;

describe('a signed note', () => {
  it('verifies like its published example', () => {
    const key = parseNoteKey(published.key);
    const note = parseNote(`${published.text}\n${published.line}`);
    if (!key || !note) throw new Error('not read');
    expect(note.text).toBe(published.text);
    expect(signedBy(note, key)).toBe('ok');
    expect(encodeNoteKey(key)).toBe(published.key);
    expect(signedBy({ ...note, text: `${note.text}!\n` }, key)).toBe('bad');
    expect(signedBy(note, log)).toBe('absent');
    expect(signedBy(note, { ...key, name: 'another' })).toBe('absent');
  });

  it.each([
    ['without a signature', published.text],
    ['without an empty line', `${published.text}${published.line}`],
    ['without its last newline', `${published.text}\n${published.line.slice(0, -1)}`],
    ['with a control character', `\t${published.text}\n${published.line}`],
    ['with a carriage return', `${published.text}\r\n\n${published.line}`],
    ['with another kind of dash', `${published.text}\n${published.line.replace('—', '-')}`],
    ['with noncanonical base64', `${published.text}\n${published.line.replace('M=', 'N=')}`],
    ['with a lone surrogate', `\ud800${published.text}\n${published.line}`],
    ['with too many signatures', `${published.text}\n${published.line.repeat(33)}`],
    ['when it is too long', `${'a'.repeat(65_536)}\n\n${published.line}`],
    ['when it is empty', ''],
  ])('is refused %s', (_what, text) => {
    expect(parseNote(text)).toBeNull();
  });

  it.each([
    ['an id of another key', published.key.replace('c74f20a3', 'c74f20a4')],
    ['a short key', published.key.slice(0, -4)],
    ['an unknown type', published.key.replace('+ARpc', '+Axpc')],
    ['no name', published.key.replace('PeterNeumann', '')],
    ['a space in its name', published.key.replace('Peter', 'Peter ')],
    ['no content', ''],
  ])('cannot have a key with %s', (_what, text) => {
    expect(parseNoteKey(text)).toBeNull();
  });
});

const affidavit = {
  affidavit_id: 'aff_00000000000000000000000001',
  sha256: 'ab'.repeat(32),
  sealed_at: new Date('2026-11-20T10:00:00.000Z'),
};
const sibling = leafHash('another');
const leaf = leafHash(entryOf(affidavit));
const head = { size: 2, root: nodeHash(sibling, leaf) };
const checkpoint = await signLogCheckpoint(signer, head);
const good = encodeProof({ index: 1, path: [sibling], checkpoint });
const trust = { log, witnesses: [], known: null };

/** A witness that signs any text, with its key. */
function newWitness() {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const { x = '' } = publicKey.export({ format: 'jwk' });
  const bytes = Buffer.from(x, 'base64url');
  const key = { name: 'witness.example', type: signatureTypes.cosignature, publicKey: bytes };
  const cosign = (text: string, seconds = 1_790_000_000n): string => {
    const time = Buffer.alloc(8);
    time.writeBigUInt64BE(seconds);
    const signed = `cosignature/v1\ntime ${seconds}\n${text}`;
    const signature = sign(null, Buffer.from(signed), privateKey);
    return signatureLine(key, Buffer.concat([time, signature]));
  };
  return { key: key as NoteKey, cosign };
}

describe('a log entry', () => {
  it('contains only hashes and the time of the seal', () => {
    expect(entryOf(affidavit)).toBe(
      `{"id_sha256":"166af14d57382a1ede6a91e3ed81ed915132c28c63f8f5ec17f7f8ec84a873c8` +
        `","sealed_at":"2026-11-20T10:00:00.000Z","sha256":"${affidavit.sha256}",` +
        '"type":"affidavit","v":1}',
    );
    expect(entryOf(affidavit)).not.toContain(affidavit.affidavit_id);
  });
});

describe('a log proof', () => {
  it('is valid offline with only the key of the log', () => {
    expect(judgeProof(good, affidavit, trust)).toBeNull();
    const withExtra = (text: string): string =>
      good.replace('\nindex', `\nextra ${Buffer.from(text).toString('base64')}\nindex`);
    expect(judgeProof(withExtra(entryOf(affidavit)), affidavit, trust)).toBeNull();
    // Other tools read the entry from the proof, so it must match to the byte.
    for (const text of [
      '{}',
      `${entryOf(affidavit)}\n`,
      entryOf({ ...affidavit, sha256: 'ff'.repeat(32) }),
    ]) {
      expect(judgeProof(withExtra(text), affidavit, trust)).toBe('log_inclusion');
    }
    const loose = good.replace('\nindex', '\nextra A=======\nindex');
    expect(judgeProof(loose, affidavit, trust)).toBe('log_proof_malformed');
    expect(judgeProof(good, affidavit, { ...trust, known: head })).toBeNull();
    expect(openCheckpoint(checkpoint, log)).toEqual({ origin: log.name, ...head });
    expect(parseProof(good)).toEqual({ index: 1, path: [sibling], checkpoint });
  });

  const foreign = createLogSigner(Buffer.alloc(32, 8), 'log.example/affidavits');
  const renamed = createLogSigner(Buffer.alloc(32, 7), 'log.example/another');
  const under = async (by: typeof signer) =>
    encodeProof({ index: 1, path: [sibling], checkpoint: await signLogCheckpoint(by, head) });
  const bad: readonly (readonly [string, LogFault, string | Promise<string>])[] = [
    ['that is empty', 'log_proof_malformed', ''],
    ['of another version', 'log_proof_malformed', good.replace('@v1', '@v2')],
    ['with a noncanonical index', 'log_proof_malformed', good.replace('index 1', 'index 01')],
    ['with a negative index', 'log_proof_malformed', good.replace('index 1', 'index -1')],
    ['with a short hash', 'log_proof_malformed', good.replace(/\n[^\n]{44}\n\n/, '\nAAAA\n\n')],
    ['with carriage returns', 'log_proof_malformed', good.replaceAll('\n', '\r\n')],
    ['that is too long', 'log_proof_malformed', `${good}${'a'.repeat(200_000)}`],
    [
      'with a long path',
      'log_proof_malformed',
      encodeProof({ index: 1, path: Array.from({ length: 65 }, () => sibling), checkpoint }),
    ],
    ['without a checkpoint', 'log_proof_malformed', good.slice(0, good.indexOf('\n\n') + 2)],
    ['with a sign before its size', 'log_proof_malformed', good.replace('\n2\n', '\n+2\n')],
    ['with the key of another log', 'log_foreign', under(foreign)],
    ['with the name of another log', 'log_foreign', under(renamed)],
    ['of a smaller tree', 'log_signature', good.replace('\n2\n', '\n1\n')],
    [
      'of another root',
      'log_signature',
      good.replace(head.root.toString('base64'), sibling.toString('base64')),
    ],
    ['with another index', 'log_inclusion', good.replace('index 1', 'index 0')],
    ['with an index beyond the tree', 'log_inclusion', good.replace('index 1', 'index 2')],
    ['with another path', 'log_inclusion', encodeProof({ index: 1, path: [leaf], checkpoint })],
    ['without a path', 'log_inclusion', encodeProof({ index: 1, path: [], checkpoint })],
  ];
  it.each(bad)('%s is refused as %s', async (_what, fault, text) => {
    expect(judgeProof(await text, affidavit, trust)).toBe(fault);
  });

  it.each([
    ['sha256', { ...affidavit, sha256: 'cd'.repeat(32) }],
    ['id', { ...affidavit, affidavit_id: 'aff_00000000000000000000000002' }],
    ['time', { ...affidavit, sealed_at: new Date('2026-11-20T10:00:00.001Z') }],
  ])('for an affidavit with another %s is refused', (_what, another) => {
    expect(judgeProof(good, another, trust)).toBe('log_inclusion');
  });

  it('is compared with a known checkpoint', () => {
    const known = { size: 2, root: nodeHash(leaf, sibling) };
    expect(judgeProof(good, affidavit, { ...trust, known })).toBe('log_forked');
    const later = { size: 3, root: known.root };
    expect(judgeProof(good, affidavit, { ...trust, known: later })).toBe('log_downgraded');
    const earlier = { size: 1, root: sibling };
    expect(judgeProof(good, affidavit, { ...trust, known: earlier })).toBeNull();
  });

  it('needs a signature of every required witness', () => {
    const { text = '' } = parseNote(checkpoint) ?? {};
    const [witness, other] = [newWitness(), newWitness()];
    const asked = { ...trust, witnesses: [witness.key] };
    expect(judgeProof(good, affidavit, asked)).toBe('log_witness');
    expect(judgeProof(good + other.cosign(text), affidavit, asked)).toBe('log_witness');
    expect(judgeProof(good + witness.cosign(`${text}x\n`), affidavit, asked)).toBe('log_witness');
    expect(judgeProof(good + witness.cosign(text), affidavit, asked)).toBeNull();
    const both = { ...trust, witnesses: [witness.key, other.key] };
    expect(judgeProof(good + witness.cosign(text), affidavit, both)).toBe('log_witness');
  });
});

describe('a checkpoint', () => {
  it('has three lines', () => {
    const { text = '' } = parseNote(checkpoint) ?? {};
    expect(text).toBe(`log.example/affidavits\n2\n${head.root.toString('base64')}\n`);
    expect(parseLogCheckpoint('log\n02\nAAAA\n')).toBeNull();
  });
});

describe('parseTile', () => {
  it.each([
    ['0/000', { level: 0, index: 0, width: 256 }],
    ['1/x001/x234/067', { level: 1, index: 1_234_067, width: 256 }],
    ['0/x001/000.p/5', { level: 0, index: 1000, width: 5 }],
    ['entries/273.p/112', { level: 'entries', index: 273, width: 112 }],
  ])('reads the path %s', (path, tile) => {
    expect(parseTile(path.split('/'))).toEqual(tile);
  });

  const none =
    '0|0/0|00/000|0/0000|0/001/000|0/x001|0/x000/001|64/000|7/000|-1/000|0/000.p|0/000.p/0|' +
    '0/000.p/256|0/000.p/01|0/000.p/5/6|data/000|0/000/.p/5|0/x999/x999/x999/x999/x999/999|' +
    '0/%30|0/000.p/1e1|entries|/';
  it.each(['', ...none.split('|')])('refuses the path %j', (path) => {
    expect(parseTile(path.split('/'))).toBeNull();
  });
});
