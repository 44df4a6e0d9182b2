import { createHash, type X509Certificate } from 'node:crypto';
import { PDFDocument } from 'pdf-lib';
import { beforeAll, describe, expect, it } from 'vitest';
import { renderAffidavit } from '../../../../activities/affidavit/render.ts';
import { verifyAffidavit } from '../../../../activities/affidavit/verify.ts';
import { verifyLogProofBytes } from '../../../../cli/verify/log-proof.ts';
import type { RevocationReason } from '../../../../domain/names.ts';
import {
  archiveAffidavit,
  archiveBytesMax,
  asItIs,
  validationDataIn,
  writeArchive,
  type ValidationData,
} from '../../../../domain/pdf/signature/archive.ts';
import { openPlaceholder } from '../../../../domain/pdf/signature/signature-placeholder.ts';
import { sealAffidavit } from '../../../../domain/pdf/signature/seal.ts';
import { signLogCheckpoint } from '../../../../domain/transparency/checkpoint.ts';
import { entryOf } from '../../../../domain/transparency/entry.ts';
import { createLogSigner } from '../../../../domain/transparency/log-signer.ts';
import { leafHash } from '../../../../domain/transparency/merkle.ts';
import { encodeProof } from '../../../../domain/transparency/proof-file.ts';
import {
  dataOf,
  newKey,
  on,
  plus,
  signerOf,
  stampsOf,
  type Key,
  type Revoked,
} from '../../../support/fixtures/affidavits/aged-keys.ts';
import { lightContent } from '../../../support/fixtures/affidavits/contents.ts';
import { verifyTwice } from './verify-twice.ts';

const [bytesMax] = archiveBytesMax;
const days = {
  sealed: on('2026-11-23'),
  renewed: on('2036-05-02'),
  again: on('2046-06-01'),
} as const;
let roots: readonly [Key, Key];
let stamps: readonly [Key, Key, Key];
let seal: Key;
/** The file as sealed, and after each archive. */
let files: readonly [Buffer, Buffer, Buffer, Buffer];

/** Archives a file at an instant, with the validation data of the earlier and the new stamp. */
async function archived(
  file: Buffer,
  before: readonly Key[],
  by: Key,
  at: Date,
  revoked: readonly Revoked[] = [],
): Promise<Buffer> {
  return archiveAffidavit(file, await dataOf([...before, by], at, revoked), stampsOf(by, at));
}

beforeAll(async () => {
  const root = await newKey('root', null, days.sealed);
  const services = await newKey('services-ca', root, days.sealed);
  const first = await newKey('tsa', services, days.sealed);
  seal = await newKey('seal', services, days.sealed);
  const second = await newKey('tsa', await newKey('services-ca', root, days.renewed), days.renewed);
  const nextRoot = await newKey('root', null, days.again);
  const third = await newKey('tsa', await newKey('services-ca', nextRoot, days.again), days.again);
  roots = [root, nextRoot];
  stamps = [first, second, third];
  const rendered = await renderAffidavit(lightContent);
  const sealed = await sealAffidavit(rendered, signerOf(seal), stampsOf(first, days.sealed));
  const one = await archived(sealed, [seal, first], first, days.sealed);
  const two = await archived(one, [first], second, days.renewed);
  files = [sealed, one, two, await archived(two, [second], third, days.again)];
});

const pinned = (): X509Certificate[] => roots.map(({ certificate }) => certificate);
const judge = async (file: Buffer, at: Date, lists: readonly Buffer[] = []) => {
  const { result, reason_code } = await verifyAffidavit(file, pinned(), at, { lists });
  return [result, reason_code];
};
const valid = ['valid', null];
const expired = ['indeterminate', 'timestamp_expired'];

describe('an affidavit of 2026', () => {
  it('is valid in 2046 by its roots alone, after renewals at each key expiry', async () => {
    const [, one, two, three] = files;
    const [root] = pinned();
    const verdict = await verifyTwice(three, pinned(), on('2058-01-01'));
    expect(verdict).toMatchObject({
      result: 'valid',
      facts: {
        pades_level: 'PAdES-B-LTA',
        sealed_at: days.sealed.toISOString(),
        archived_at: days.again.toISOString(),
        earlier_sha256: files
          .slice(0, 3)
          .map((file) => createHash('sha256').update(file).digest('hex')),
      },
    });
    expect(verdict.checks.filter(({ result }) => result !== 'ok')).toHaveLength(1);
    expect(await judge(one, on('2036-01-01'))).toEqual(valid);
    expect(await judge(one, on('2040-01-01'))).toEqual(expired);
    expect(await judge(two, on('2046-06-01'))).toEqual(valid);
    expect(await judge(two, on('2047-01-01'))).toEqual(expired);
    // The earlier root alone does not prove the last time stamp.
    const alone = await verifyAffidavit(three, root ? [root] : [], days.again);
    expect(alone).toMatchObject({ result: 'indeterminate', reason_code: 'root_not_trusted' });
    expect(await judge(three, on('2040-01-01'))).toEqual(['indeterminate', 'timestamp_in_future']);
    const added = three.length - two.length;
    expect(added).toBeLessThan(16_384);
  });

  it('needs current CRLs for its last time stamp only', async () => {
    const [, , two, three] = files;
    const at = on('2047-03-01');
    const [, second, third] = stamps;
    const of = async (key: Key, revoked: readonly Revoked[] = []) =>
      (await dataOf([key], at, revoked)).crls.map((crl) => Buffer.from(crl));
    expect(await judge(three, at, await of(third))).toEqual(valid);
    const unknown = ['indeterminate', 'revocation_unknown'];
    expect(await judge(three, at, await of(second))).toEqual(unknown);
    const stolen = (key: Key, stolenAt: Date): Revoked[] => [
      { key, reason: 'compromised', at: stolenAt },
    ];
    const lists = [...(await of(third)), ...(await of(second, stolen(second, on('2047-01-01'))))];
    // A key stolen after a later stamp covered its own stamps.
    expect(await judge(three, at, lists)).toEqual(valid);
    const before = [...(await of(third)), ...(await of(second, stolen(second, on('2030-01-01'))))];
    expect(await judge(three, at, before)).toEqual(['invalid', 'revoked']);
    const last = await of(third, stolen(third, on('2047-01-01')));
    expect(await judge(three, at, last)).toEqual(['invalid', 'revoked']);
    expect(await judge(two, on('2046-01-01'), await of(third))).toEqual(unknown);
  });
});

describe('the proof of the public log', () => {
  const logSigner = createLogSigner(Buffer.alloc(32, 1), 'log.example');
  /** Returns the proof of a log that contains only this file. */
  async function proofOf(file: Buffer): Promise<Buffer> {
    const { facts } = await verifyAffidavit(file, pinned(), days.again);
    const { affidavit_id: id = '', sealed_at: at = '', sha256 } = facts;
    const root = leafHash(entryOf({ affidavit_id: id, sha256, sealed_at: new Date(at) }));
    const checkpoint = await signLogCheckpoint(logSigner, { size: 1, root });
    return Buffer.from(encodeProof({ index: 0, path: [], checkpoint }));
  }

  it('covers the file as first stored, whatever was archived later', async () => {
    const [sealed, one, , three] = files;
    const trust = { log: logSigner.key, witnesses: [], known: null, tiles: null };
    const verdict = await verifyAffidavit(three, pinned(), days.again);
    const held = async (file: Buffer) => {
      const { result, checks } = await verifyLogProofBytes(verdict, await proofOf(file), trust);
      return [result, checks.at(-1)?.detail ?? 'ok'];
    };
    for (const file of [sealed, one, three]) expect(await held(file)).toEqual(['valid', 'ok']);
    const other = await archived(sealed, [seal, stamps[0]], stamps[0], plus(days.sealed, 1));
    expect(await held(other)).toEqual(['invalid', 'log_inclusion']);
    // The reverse fails: later files were not logged.
    const earlier = await verifyAffidavit(one, pinned(), days.sealed);
    const late = await verifyLogProofBytes(earlier, await proofOf(three), trust);
    expect(late).toMatchObject({ result: 'invalid', reason_code: 'log_inclusion' });
  });
});

/** Returns the bytes that an archive added to the previous file. */
const partOf = (index: 1 | 2 | 3): Buffer => files[index].subarray(files[index - 1]?.length);
const marked = (reason: RevocationReason, at: Date, kind?: null) => {
  const [first, second] = stamps;
  return archived(files[1], [first], second, days.renewed, [{ key: first, reason, at, kind }]);
};

type Edit = (dss: string) => string;

/** Returns a second archive with other data, or with a changed dictionary of the same length. */
async function second(data: ValidationData, edit: Edit = (dss) => dss): Promise<Buffer> {
  const [, one] = files;
  const text = writeArchive(one, await PDFDocument.load(one, asItIs), { data, bytesMax });
  const added = text.toString('latin1', one.length).replace(/<< \/Certs .*>>/, edit);
  const hole = openPlaceholder(
    Buffer.concat([one, Buffer.from(added, 'latin1')]),
    bytesMax,
    one.length,
  );
  expect(hole.pdf).toHaveLength(text.length);
  const imprint = createHash('sha256').update(hole.covered).digest();
  return hole.fill(await stampsOf(stamps[1], days.renewed).stamp(imprint));
}

const newData = () => dataOf([stamps[0], stamps[1]], days.renewed);
const withoutFirst = async (): Promise<ValidationData> => {
  const { certificates, crls } = await newData();
  return { certificates: certificates.slice(2), crls };
};

const changed: Record<string, () => Promise<Buffer> | Buffer> = {
  'valid: an archive after which what follows is cut off': () => files[1],
  'valid: the key before was replaced after it had stamped': () =>
    marked('superseded', on('2030-01-01')),
  'revoked: the key before was replaced before it had stamped': () =>
    marked('superseded', on('2026-11-22')),
  'revoked: the key before was stolen, whenever': () => marked('compromised', on('2030-01-01')),
  'valid: and where it was for a reason that is unspecified': () =>
    marked('unspecified', on('2030-01-01')),
  'revoked: of the key before no reason was said': () =>
    marked('unspecified', on('2030-01-01'), null),
  'byte_range: the archive before left out': () => Buffer.concat([files[0], partOf(2)]),
  'byte_range: archives in another order': () => Buffer.concat([files[0], partOf(2), partOf(1)]),
  'byte_range: an archive twice': () => Buffer.concat([files[2], partOf(2)]),
  'byte_range: the archive before swapped for a shorter': () =>
    Buffer.concat([files[0], partOf(1).subarray(1), partOf(2)]),
  'document_timestamp: the archive before swapped': async () => {
    const [sealed, one] = files;
    const data = validationDataIn(await PDFDocument.load(one, asItIs));
    const stamp = stampsOf(stamps[0], plus(days.sealed, 1));
    return Buffer.concat([await archiveAffidavit(sealed, data, stamp), partOf(2)]);
  },
  'document_timestamp: stamped before the archive before': () =>
    archived(files[2], [stamps[1]], stamps[0], plus(days.sealed, 1)),
  'document_timestamp: by the key of the seal': () =>
    archived(files[1], [stamps[0]], seal, plus(days.sealed, 9)),
  'root_not_trusted: by an authority that is not ours': async () => {
    const root = await newKey('root', null, days.renewed);
    const services = await newKey('services-ca', root, days.renewed);
    const foreign = await newKey('tsa', services, days.renewed);
    return archived(files[1], [stamps[0]], foreign, days.renewed);
  },
  'validation_data: no list of what was stamped before': async () => {
    const data = await dataOf([stamps[1]], days.renewed);
    return archiveAffidavit(files[1], data, stampsOf(stamps[1], days.renewed));
  },
  'validation_data: lists of years ago': async () => {
    const { certificates } = await newData();
    const { crls } = await dataOf([stamps[0], stamps[1]], plus(days.renewed, -30));
    const data = { certificates, crls };
    return archiveAffidavit(files[1], data, stampsOf(stamps[1], days.renewed));
  },
  'validation_data: a certificate that is there already': async () => second(await newData()),
  'validation_data: a list that is there already': async () => {
    const { crls } = validationDataIn(await PDFDocument.load(files[1], asItIs));
    const data = await withoutFirst();
    return second({ ...data, crls: [...data.crls, ...crls.slice(0, 1)] });
  },
  'validation_data: certificates of nobody that has stamped': async () => {
    const data = await withoutFirst();
    const more = await newKey('root', null, days.renewed);
    return second({ ...data, certificates: [...data.certificates, more.certificate.raw] });
  },
  'validation_data: a dictionary of another form': async () =>
    second(await withoutFirst(), (dss) => dss.replace('/Certs', '/Certz')),
  'revision: a dictionary that names others than the one before': async () =>
    second(await withoutFirst(), (dss) => dss.replace(/\[(\d+) 0 R (\d+)/, '[$2 0 R $1')),
  'timestamp_expired: given when the one before had ended': async () =>
    archived(files[1], [stamps[0]], stamps[1], on('2039-01-01')),
};

describe('an affidavit archived twice', () => {
  const unknowns = new Set(['root_not_trusted', 'timestamp_expired']);

  it('is valid as written', async () => {
    expect(await judge(await second(await withoutFirst()), plus(days.renewed, 1))).toEqual(valid);
  });

  it.each(Object.keys(changed))('is judged as %s', async (name) => {
    const pdf = await changed[name]?.();
    const [reason = ''] = name.split(':');
    const at = name.includes('archive after which') ? days.renewed : plus(days.renewed, 4 * 365);
    const result = unknowns.has(reason) ? 'indeterminate' : 'invalid';
    const expected = reason === 'valid' ? valid : [result, reason];
    expect(await judge(pdf ?? Buffer.of(), at)).toEqual(expected);
  });

  it('is never valid with a flipped bit after the seal', async () => {
    const [sealed, , , three] = files;
    const added = three.length - sealed.length;
    for (let bit = 0; bit < added * 8; bit += 9_973) {
      const other = Buffer.from(three);
      const place = sealed.length + (bit >> 3);
      other[place] = (other[place] ?? 0) ^ (1 << (bit & 7));
      const [result] = await judge(other, on('2047-01-01'));
      if (result === 'valid') expect.fail(`byte ${place}, bit ${bit & 7}`);
    }
  });
});
