import { randomBytes, type X509Certificate } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { renderAffidavit } from '../../../../activities/affidavit/render.ts';
import { verifyAffidavit } from '../../../../activities/affidavit/verify.ts';
import { createDevPki } from '../../../../activities/keys/changes/dev-pki.ts';
import {
  loadKeys,
  loadRoot,
  type PlatformKeys,
} from '../../../../activities/keys/directory/load-keys.ts';
import { sealAffidavit } from '../../../../domain/pdf/signature/seal.ts';
import { childrenOf, readElement, type Element } from '../../../../domain/pki/read-der.ts';
import { createTimestampAuthority } from '../../../../domain/pki/timestamps/sign-token.ts';
import { element, integer, octetString, oid, sequence } from '../../../../simulator/der.ts';
import { listsOfToday } from '../../../support/fixtures/affidavits/archives.ts';
import { denseContent } from '../../../support/fixtures/affidavits/contents.ts';
import { verifyTwice } from './verify-twice.ts';

/** Flips every n-th bit: 1 flips each of them, which takes minutes. */
const bitsApart = Number(process.env['FLIPPED_BITS_APART'] ?? 131);

const directory = mkdtempSync(join(tmpdir(), 'trustcheck-altered-'));
let sealed: Buffer;
let roots: X509Certificate[];
let lists: Buffer[];
let root: Buffer;
let foreign: Buffer;
/** The bytes between `<` and `>`. */
let hole: { start: number; end: number };
let cms: Buffer;
let seal: PlatformKeys['seal'];

beforeAll(async () => {
  const now = new Date();
  await createDevPki(join(directory, 'own'), { now, baseUrl: 'http://127.0.0.1:8080' });
  const keys = loadKeys(join(directory, 'own'));
  ({ seal } = keys);
  roots = [keys.root.certificate];
  lists = await listsOfToday(keys);
  root = keys.root.certificate.raw;
  await createDevPki(join(directory, 'other'), { now, baseUrl: 'http://127.0.0.1:8080' });
  foreign = loadRoot(join(directory, 'other')).raw;
  const authority = createTimestampAuthority(keys.tsa, () => now, randomBytes);
  sealed = await sealAffidavit(await renderAffidavit(denseContent), keys.seal, authority);
  const text = sealed.toString('latin1');
  const start = text.indexOf('/Contents <') + '/Contents <'.length;
  hole = { start, end: text.indexOf('>', start) };
  const held = Buffer.from(text.slice(start, hole.end), 'hex');
  cms = held.subarray(0, 4 + held.readUInt16BE(2));
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const later = (): Date => new Date(Date.now() + 1000);
const judge = (pdf: Uint8Array) => verifyTwice(pdf, roots, later(), lists);
/** Judges with the verifier of the command only, for many similar files. */
const judgeOnce = (pdf: Uint8Array) => verifyAffidavit(pdf, roots, later(), { lists });

/** Returns the affidavit with another seal in its place, padded as the original. */
function withSeal(other: Uint8Array): Buffer {
  const pdf = Buffer.from(sealed);
  const padded = Buffer.alloc((hole.end - hole.start) / 2);
  Buffer.from(other).copy(padded);
  pdf.write(padded.toString('hex'), hole.start, 'latin1');
  return pdf;
}

const inside = (node: Element): Element[] => childrenOf(node.contents);
const wholes = (nodes: readonly Element[]): Uint8Array[] => nodes.map(({ whole }) => whole);
const at = (nodes: readonly Element[], index: number): Element => {
  const node = nodes.at(index);
  if (!node) throw new Error('the seal has fewer fields');
  return node;
};
const replaced = (nodes: readonly Element[], index: number, ...others: Uint8Array[]) =>
  wholes(nodes).toSpliced(index, 1, ...others);

type Change = (fields: readonly Element[], signer: readonly Element[]) => Uint8Array[];

/** Changes the fields of a SignedData, and encodes everything around them again. */
function changed(bytes: Uint8Array, change: Change): Buffer {
  const [type, explicit] = childrenOf(readElement(bytes, 0x30).contents);
  if (!type || !explicit) throw new Error('no SignedData');
  const fields = inside(at(inside(explicit), 0));
  const signer = inside(at(inside(at(fields, -1)), 0));
  const made = element(0xa0, sequence(...change(fields, signer)));
  return sequence(type.whole, made);
}

/** Changes the fields of the SignerInfo. */
const ofSigner =
  (change: (signer: readonly Element[]) => Uint8Array[]): Change =>
  (fields, signer) =>
    replaced(fields, -1, element(0x31, sequence(...change(signer))));

const sha1 = sequence(oid('1.3.14.3.2.26'));
const hidden = sequence(oid('1.2.3.4'), element(0x31, octetString(Buffer.alloc(500, 0x41))));
const padded = (node: Element): Buffer => {
  const header = node.whole.length - node.contents.length;
  const length = node.contents.length;
  const long = Buffer.of(node.tag, 0x83, 0, length >> 8, length & 0xff);
  expect(header).toBeLessThan(long.length);
  return Buffer.concat([long, node.contents]);
};

/** Returns the second valid form of an ECDSA signature, with the other s. */
function highS(signature: Element): Buffer {
  const [r, s] = childrenOf(readElement(signature.contents, 0x30).contents);
  if (!r || !s) throw new Error('no signature');
  const order = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;
  const value = order - BigInt(`0x${Buffer.from(s.contents).toString('hex')}`);
  const hex = value.toString(16).padStart(64, '0');
  const bytes = Buffer.from(Number.parseInt(hex.slice(0, 2), 16) > 127 ? `00${hex}` : hex, 'hex');
  return sequence(r.whole, element(0x02, bytes));
}

const changes: Record<string, Change> = {
  'its signature in high-S form': ofSigner((signer) =>
    replaced(signer, 5, octetString(highS(at(signer, 5)))),
  ),
  'another version': (fields) => replaced(fields, 0, integer(3)),
  'a version that is none': (fields) => replaced(fields, 0, integer(99)),
  'another digest algorithm announced': (fields) => replaced(fields, 1, element(0x31, sha1)),
  'two digest algorithms announced': (fields) =>
    replaced(fields, 1, element(0x31, ...wholes(inside(at(fields, 1))), sha1)),
  'a foreign certificate': (fields) =>
    replaced(fields, 3, element(0xa0, ...wholes(inside(at(fields, 3))), foreign)),
  'the root once more': (fields) =>
    replaced(fields, 3, element(0xa0, ...wholes(inside(at(fields, 3))), root)),
  'a certificate twice': (fields) =>
    replaced(
      fields,
      3,
      element(0xa0, ...wholes([...inside(at(fields, 3)), at(inside(at(fields, 3)), 0)])),
    ),
  'its certificates in another order': (fields) =>
    replaced(fields, 3, element(0xa0, ...wholes(inside(at(fields, 3)).toReversed()))),
  'its own certificate alone': (fields) =>
    replaced(fields, 3, element(0xa0, at(inside(at(fields, 3)), 0).whole)),
  'revocation lists': (fields) =>
    wholes(fields).toSpliced(4, 0, element(0xa1, sequence(octetString(Buffer.alloc(900, 0x41))))),
  'a length written longer than it is': (fields) => replaced(fields, 3, padded(at(fields, 3))),
  'its digest algorithm written longer in both places': (fields, signer) => {
    const long = padded(at(signer, 2));
    const made = sequence(...replaced(signer, 2, long));
    return replaced(fields, 1, element(0x31, long)).toSpliced(-1, 1, element(0x31, made));
  },
  'its signature algorithm written longer': ofSigner((signer) =>
    replaced(signer, 4, padded(at(signer, 4))),
  ),
  'another version of the signer': ofSigner((signer) => replaced(signer, 0, integer(3))),
  'another serial number of the signer': ofSigner((signer) =>
    replaced(signer, 1, sequence(at(inside(at(signer, 1)), 0).whole, integer(7))),
  ),
  'another digest algorithm of the signer': ofSigner((signer) => replaced(signer, 2, sha1)),
  'another unsigned attribute': ofSigner((signer) =>
    signer.length === 7
      ? replaced(signer, -1, element(0xa1, ...wholes(inside(at(signer, -1))), hidden))
      : [...wholes(signer), element(0xa1, hidden)],
  ),
  'unsigned attributes that are none': ofSigner((signer) => [
    ...wholes(signer.slice(0, 6)),
    element(0xa1),
  ]),
};

/** Changes the SignedData of the time stamp in the seal. */
function withToken(change: Change): Buffer {
  return changed(
    cms,
    ofSigner((signer) => {
      const [type, values] = inside(at(inside(at(signer, -1)), 0));
      if (!type || !values) throw new Error('no time stamp');
      const token = changed(at(inside(values), 0).whole, change);
      return replaced(signer, -1, element(0xa1, sequence(type.whole, element(0x31, token))));
    }),
  );
}

describe('a rewritten seal', () => {
  it('is valid when rewritten without a change', async () => {
    const same: Change = (fields) => wholes(fields);
    expect(changed(cms, same)).toEqual(cms);
    expect(withToken(same)).toEqual(cms);
    expect((await judge(withSeal(cms))).result).toBe('valid');
  });

  it.each(Object.keys(changes))(
    'is not valid with %s, in the seal or its time stamp',
    async (name) => {
      const change = changes[name] ?? wholes;
      const own = await judge(withSeal(changed(cms, change)));
      expect(own.result).toBe('invalid');
      const stamp = await judge(withSeal(withToken(change)));
      // The version of a SignedData over a TSTInfo is 3 already.
      const isSame = withToken(change).equals(cms);
      expect(stamp.result).toBe(isSame ? 'valid' : 'invalid');
    },
  );

  it('contains the root certificate, and is equally valid without it', async () => {
    const certificates = (fields: readonly Element[]) => inside(at(fields, 3));
    const bare = changed(cms, (fields) => {
      expect(root.equals(at(certificates(fields), -1).whole)).toBe(true);
      return replaced(fields, 3, element(0xa0, ...wholes(certificates(fields).slice(0, -1))));
    });
    expect((await judge(withSeal(bare))).result).toBe('valid');
    const other = changed(cms, (fields) => {
      const chain = wholes(certificates(fields).slice(0, -1));
      return replaced(fields, 3, element(0xa0, ...chain, foreign));
    });
    expect((await judge(withSeal(other))).result).toBe('invalid');
  });

  it.each([
    ['brings the root beside a time stamp of 5 kB', 5 * 1024, true],
    ['leaves it out beside the largest that is taken', 6 * 1024, false],
  ])('%s', async (_what, size, isBrought) => {
    const token = sequence(octetString(Buffer.alloc(size - 8)));
    const stamp = () => Promise.resolve(token);
    const pdf = await sealAffidavit(await renderAffidavit(denseContent), seal, { stamp });
    expect(token.length).toBe(size);
    expect(pdf.includes(token.toString('hex'), 0, 'latin1')).toBe(true);
    expect(pdf.includes(root.toString('hex'), 0, 'latin1')).toBe(isBrought);
  });

  it('has the reason hidden_bytes when bytes hide in unsigned attributes', async () => {
    const change = changes['another unsigned attribute'] ?? wholes;
    for (const seal of [changed(cms, change), withToken(change)]) {
      expect(await judge(withSeal(seal))).toMatchObject({ reason_code: 'hidden_bytes' });
    }
  });

  it('is never valid with a flipped bit', async () => {
    for (let bit = 0; bit < cms.length * 8; bit += bitsApart) {
      const other = Buffer.from(cms);
      other[bit >> 3] = (other[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      const { result } = await judgeOnce(withSeal(other));
      if (result === 'valid') expect.fail(`bit ${bit} of the seal`);
    }
  }, 3_600_000);

  it('is never valid with a flipped bit in its dictionary', async () => {
    const start = sealed.lastIndexOf('<< /Type /Sig ', hole.start, 'latin1');
    const after = sealed.indexOf('endobj', hole.end, 'latin1');
    expect([start > 0, after > hole.end]).toEqual([true, true]);
    const around = [
      ...Array.from({ length: hole.start - start }, (_, index) => start + index),
      ...Array.from({ length: after - hole.end }, (_, index) => hole.end + index),
    ];
    for (let bit = 0; bit < around.length * 8; bit += bitsApart) {
      const other = Buffer.from(sealed);
      const place = around[bit >> 3] ?? 0;
      other[place] = (other[place] ?? 0) ^ (1 << (bit & 7));
      const { result } = await judgeOnce(other);
      if (result === 'valid') expect.fail(`byte ${place}, bit ${bit & 7}`);
    }
  }, 3_600_000);
});
