import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PDFDict, PDFDocument, PDFName } from 'pdf-lib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { renderAffidavit } from '../../../../activities/affidavit/render.ts';
import { verifyAffidavit } from '../../../../activities/affidavit/verify.ts';
import { createDevPki } from '../../../../activities/keys/changes/dev-pki.ts';
import { loadKeys, type PlatformKeys } from '../../../../activities/keys/directory/load-keys.ts';
import {
  archiveAffidavit,
  archiveBytesMax,
  asItIs,
  unique,
  writeArchive,
  type ValidationData,
} from '../../../../domain/pdf/signature/archive.ts';
import { openPlaceholder } from '../../../../domain/pdf/signature/signature-placeholder.ts';
import {
  appendRevision,
  lastRevisionOf,
  type NewObject,
} from '../../../../domain/pdf/signature/revision.ts';
import { sealAffidavit } from '../../../../domain/pdf/signature/seal.ts';
import {
  createTimestampAuthority,
  type TimestampAuthority,
} from '../../../../domain/pki/timestamps/sign-token.ts';
import { listOf, prevOf, rootListOf } from '../../../support/fixtures/affidavits/archives.ts';
import { lightContent } from '../../../support/fixtures/affidavits/contents.ts';
import { verifyTwice } from './verify-twice.ts';

const directory = mkdtempSync(join(tmpdir(), 'trustcheck-archive-'));
const dayMs = 24 * 3600_000;
const now = new Date();
const [bytesMax] = archiveBytesMax;
let keys: PlatformKeys;
let others: PlatformKeys;
let authority: TimestampAuthority;
let sealed: Buffer;
let document: PDFDocument;
let data: ValidationData;
let archived: Buffer;
let foreignToken: Buffer;

async function newKeys(name: string): Promise<PlatformKeys> {
  await createDevPki(join(directory, name), { now, baseUrl: 'http://127.0.0.1:8080' });
  return loadKeys(join(directory, name));
}

const later = (ms: number): Date => new Date(now.getTime() + ms);
const stampsOf = (of: PlatformKeys, at = new Date()): TimestampAuthority =>
  createTimestampAuthority(of.tsa, () => at, randomBytes);

beforeAll(async () => {
  keys = await newKeys('own');
  others = await newKeys('others');
  authority = stampsOf(keys);
  sealed = await sealAffidavit(await renderAffidavit(lightContent), keys.seal, authority);
  document = await PDFDocument.load(sealed, asItIs);
  data = {
    certificates: unique([...keys.seal.certificateChain, ...keys.tsa.certificateChain]),
    crls: [await listOf(keys), rootListOf(keys)],
  };
  archived = await archiveAffidavit(sealed, data, authority);
  foreignToken = await authority.stamp(createHash('sha256').update('another file').digest());
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const judge = (pdf: Uint8Array, at = later(dayMs)) => verifyTwice(pdf, [keys.root.certificate], at);

const with_ = (change: Partial<ValidationData>) =>
  archiveAffidavit(sealed, { ...data, ...change }, authority);

/** Stamps a file that ends with an empty placeholder for a time stamp. */
async function stamped(unstamped: Buffer, by = authority, size: number = bytesMax) {
  const hole = openPlaceholder(unstamped, size, sealed.length);
  return hole.fill(await by.stamp(createHash('sha256').update(hole.covered).digest()));
}

const written = (): Buffer => writeArchive(sealed, document, { data, bytesMax });

/** Returns the objects of the document time stamp as we write them. */
function stampParts(): { readonly judged: Buffer; readonly objects: NewObject[] } {
  const whole = written();
  const text = whole.toString('latin1');
  const judged = whole.subarray(0, text.lastIndexOf('%%EOF\n') + 5);
  const tail = text.slice(judged.length, text.lastIndexOf(' 0 obj\n<< /Type /XRef'));
  const objects = Array.from(tail.matchAll(/(\d+) 0 obj\n([^]*?)\nendobj\n/g), (found) => ({
    number: Number(found[1]),
    body: found[2] ?? '',
  }));
  return { judged, objects };
}

/** Stamps the last revision with changed or added objects, with our own authority. */
function lastWith(...changes: readonly NewObject[]): Promise<Buffer> {
  const { judged, objects } = stampParts();
  const kept = objects.filter(({ number }) => !changes.some((one) => one.number === number));
  return stamped(appendRevision(judged, [...kept, ...changes]));
}

const body = (named: string): string =>
  stampParts()
    .objects.map(({ body: text }) => String(text))
    .find((text) => text.includes(named)) ?? '';
const numberOf = (named: string): number =>
  stampParts().objects.find(({ body: text }) => String(text).includes(named))?.number ?? 0;

const replacing = (named: string, from: string, to: string): Promise<Buffer> => {
  expect(body(named)).toContain(from);
  return lastWith({ number: numberOf(named), body: body(named).replace(from, to) });
};

/** Returns the object number of a catalog entry; later revisions must keep that object. */
const refIn = (name: string): number => {
  const found = /(\d+) 0 R/.exec(String(document.catalog.get(PDFName.of(name))));
  return Number(found?.[1]);
};
const widgetNumber = (): number => {
  const form = document.catalog.lookup(PDFName.of('AcroForm'), PDFDict);
  return Number(/(\d+) 0 R/.exec(String(form.get(PDFName.of('Fields'))))?.[1]);
};
const catalogText = (): string => {
  const text = written().toString('latin1');
  const { root } = lastRevisionOf(written());
  const start = text.indexOf(`\n${root} 0 obj\n`, sealed.length) + `\n${root} 0 obj\n`.length;
  return text.slice(start, text.indexOf('\nendobj', start));
};

describe('an archived affidavit', () => {
  it('is valid as PAdES B-LTA, with its sealed revision unchanged', async () => {
    const verdict = await judge(archived);
    expect(verdict).toMatchObject({ result: 'valid', facts: { pades_level: 'PAdES-B-LTA' } });
    expect(verdict.checks.find(({ result }) => result !== 'ok')?.name).toBe('standing');
    expect(archived.subarray(0, sealed.length).equals(sealed)).toBe(true);
    expect(archived.length - sealed.length).toBeLessThan(16_384);
    const before = await judge(sealed);
    expect(before).toMatchObject({ result: 'indeterminate', facts: { pades_level: 'PAdES-B-T' } });
    const skipped = before.checks.filter(({ result }) => result === 'skipped');
    const names = skipped.map(({ name }) => name);
    expect(names).toEqual(['document_timestamp', 'revocation', 'revisions']);
  });

  it('doubles the space for a time stamp that does not fit, and no more', async () => {
    const sizes: number[] = [];
    const large = (bytes: number): TimestampAuthority => ({
      stamp: async () => {
        sizes.push(bytes);
        return Buffer.alloc(bytes, 0x30);
      },
    });
    const doubled = await archiveAffidavit(sealed, data, large(5000));
    expect([sizes, doubled.length - archived.length]).toEqual([[5000, 5000], 8192]);
    await expect(archiveAffidavit(sealed, data, large(8193))).rejects.toThrow('do not fit');
    const roomy = writeArchive(sealed, document, { data, bytesMax: 8192 });
    expect(await judge(await stamped(roomy, authority, 8192))).toMatchObject({ result: 'valid' });
  });

  it('is valid from its last time stamp until that expires', async () => {
    const endsMs = Date.parse(keys.tsa.certificate.validTo);
    expect(await judge(archived, new Date(endsMs - 1))).toMatchObject({ result: 'valid' });
    expect(await judge(archived, new Date(endsMs))).toMatchObject({
      result: 'indeterminate',
      reason_code: 'timestamp_expired',
    });
    expect(await judge(archived, later(-dayMs))).toMatchObject({
      result: 'indeterminate',
      reason_code: 'timestamp_in_future',
    });
  });
});

const changed: Record<string, () => Promise<Buffer> | Buffer> = {
  'byte_range: a byte after the end': () => Buffer.concat([archived, Buffer.from(' ')]),
  'byte_range: two line ends after the end': () => Buffer.concat([archived, Buffer.from('\n\n')]),
  'byte_range: another DSS after the end': () =>
    appendRevision(archived, [
      { number: lastRevisionOf(archived).size, body: '<< /Certs [] /CRLs [] >>' },
    ]),
  'byte_range: the document time stamp cut off': () => {
    const text = archived.toString('latin1');
    return archived.subarray(0, text.lastIndexOf('%%EOF\n') + 5);
  },
  'validation_data: a second document time stamp alone': () => stamped(appendStamp(archived)),
  'byte_range: other than hexadecimal digits in the hole': () => {
    const pdf = Buffer.from(archived);
    pdf.write(' ', pdf.lastIndexOf('0>') - 9, 'latin1');
    return pdf;
  },
  'hidden_bytes: something in the padding': () => {
    const pdf = Buffer.from(archived);
    pdf.write('41', pdf.lastIndexOf('00>') - 8, 'latin1');
    return pdf;
  },
  'document_timestamp: over other bytes': () =>
    openPlaceholder(written(), bytesMax, sealed.length).fill(Buffer.from(foreignToken)),
  'document_timestamp: before the seal': () => stamped(written(), stampsOf(keys, later(-60_000))),
  'document_timestamp: by the key of the seal': () =>
    stamped(written(), stampsOf({ ...keys, tsa: keys.seal })),
  'root_not_trusted: by an authority that is not ours': () => stamped(written(), stampsOf(others)),
  'validation_data: no CRL of the root': () => with_({ crls: data.crls.slice(0, 1) }),
  'validation_data: no CRL of the services CA': () => with_({ crls: data.crls.slice(1) }),
  'validation_data: emptied': () => with_({ certificates: [], crls: [] }),
  'validation_data: certificates left out': () =>
    with_({ certificates: data.certificates.slice(0, 2) }),
  'validation_data: a foreign certificate': () =>
    with_({ certificates: [...data.certificates, others.seal.certificate.raw] }),
  'validation_data: the CRLs of another platform': async () =>
    with_({ crls: [await listOf(others), rootListOf(others)] }),
  'validation_data: a foreign CRL besides': async () =>
    with_({ crls: [...data.crls, await listOf(others)] }),
  'validation_data: a CRL from before the leaf': async () =>
    with_({ crls: [await listOf(keys, { from: later(-2 * dayMs) }), rootListOf(keys)] }),
  'validation_data: a CRL that has run out': async () =>
    with_({ crls: [await listOf(keys, { until: later(-60_000) }), rootListOf(keys)] }),
  'validation_data: a CRL of the future': async () =>
    with_({ crls: [await listOf(keys, { from: later(3600_000) }), rootListOf(keys)] }),
  'revoked: the seal': async () =>
    with_({ crls: [await listOf(keys, { revoked: keys.seal.certificate }), rootListOf(keys)] }),
  'revoked: the time stamps': async () =>
    with_({ crls: [await listOf(keys, { revoked: keys.tsa.certificate }), rootListOf(keys)] }),
  'revision: an appearance on the widget of the seal': () =>
    lastWith({
      number: widgetNumber(),
      body: '<< /Type /Annot /Subtype /Widget /FT /Sig /Rect [0 0 500 500] /F 132 /AP << >> >>',
    }),
  'revision: an appearance on the widget of the time stamp': () =>
    replacing('(PlatformTimestamp)', '/Rect [0 0 0 0]', '/Rect [0 0 500 500] /AP << >>'),
  'revision: content freed from the page': () =>
    replacing('/Type /Page ', '/Contents', '/Formerly'),
  'revision: another annotation on the page': () =>
    replacing('/Type /Page ', '/Annots [', '/Annots [<< /Subtype /Stamp >> '),
  'revision: the metadata replaced': () =>
    lastWith({ number: refIn('Metadata'), body: '<< /Length 0 >>\nstream\n\nendstream' }),
  'revision: the pages replaced': () =>
    lastWith({ number: refIn('Pages'), body: '<< /Type /Pages /Kids [] /Count 0 >>' }),
  'revision: the catalog written again': () =>
    lastWith({ number: lastRevisionOf(sealed).root, body: catalogText() }),
  'revision: the DSS swapped by the last revision': () =>
    lastWith({
      number: lastRevisionOf(sealed).root,
      body: catalogText().replace(/\/DSS \d+ 0 R/, '/DSS << >>'),
    }),
  'revision: an object nobody names': () =>
    lastWith({ number: lastRevisionOf(written()).size, body: '(hidden)' }),
  'revision: a loop of revisions': () => withPrev((whole) => lastRevisionOf(whole).startsAt),
  'revision: a revision left out of the chain': () =>
    withPrev(() => lastRevisionOf(sealed).startsAt),
};

/** Returns an archive with another last `/Prev` of the same width. */
function withPrev(to: (whole: Buffer) => number): Promise<Buffer> {
  const whole = written();
  const text = whole.toString('latin1');
  const at = text.lastIndexOf('/Prev ') + '/Prev '.length;
  const width = text.indexOf(' ', at) - at;
  whole.write(String(to(whole)).padStart(width, '0'), at, 'latin1');
  return stamped(whole);
}

/** Appends a second empty document time stamp. */
function appendStamp(pdf: Buffer): Buffer {
  const { objects } = stampParts();
  const first = objects.filter(({ body: text }) => String(text).includes('/DocTimeStamp'));
  const { size } = lastRevisionOf(pdf);
  return appendRevision(
    pdf,
    first.map(({ body: text }) => ({ number: size, body: text })),
  );
}

describe('a changed archived affidavit', () => {
  it('is valid when rewritten without a change', async () => {
    expect((await judge(await lastWith())).result).toBe('valid');
    expect((await judge(await withPrev((whole) => prevOf(whole)))).result).toBe('valid');
  });

  it.each(Object.keys(changed))('is rejected: %s', async (name) => {
    const pdf = await changed[name]?.();
    const { reason_code, result } = await judge(pdf ?? Buffer.of());
    const [reason = ''] = name.split(':');
    expect([result, reason_code]).toEqual([
      reason === 'root_not_trusted' ? 'indeterminate' : 'invalid',
      reason,
    ]);
  });

  it('is never valid with a flipped bit after the seal', async () => {
    const added = archived.length - sealed.length;
    for (let bit = 0; bit < added * 8; bit += 3_989) {
      const other = Buffer.from(archived);
      const place = sealed.length + (bit >> 3);
      other[place] = (other[place] ?? 0) ^ (1 << (bit & 7));
      const { result } = await verifyAffidavit(other, [keys.root.certificate], later(60_000));
      if (result === 'valid') expect.fail(`byte ${place}, bit ${bit & 7}`);
    }
  }, 120_000);
});
