import { execFileSync, spawnSync } from 'node:child_process';
import { randomBytes, type X509Certificate } from 'node:crypto';
import { mkdtempSync, rmSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { renderAffidavit } from '../../../../activities/affidavit/render.ts';
import { verifyAffidavit } from '../../../../activities/affidavit/verify.ts';
import { createDevPki } from '../../../../activities/keys/changes/dev-pki.ts';
import { loadKeys, type PlatformKeys } from '../../../../activities/keys/directory/load-keys.ts';
import { rendererId } from '../../../../activities/pdf/renderer-id.ts';
import { canonicalJson, type AffidavitContent } from '../../../../domain/affidavit/content.ts';
import { sealAffidavit } from '../../../../domain/pdf/signature/seal.ts';
import { createTimestampAuthority } from '../../../../domain/pki/timestamps/sign-token.ts';
import {
  newKey,
  on,
  plus,
  signerOf,
  stampsOf,
} from '../../../support/fixtures/affidavits/aged-keys.ts';
import { listsOfToday } from '../../../support/fixtures/affidavits/archives.ts';
import {
  contentWith,
  denseContent,
  hostileTexts,
} from '../../../support/fixtures/affidavits/contents.ts';
import { foreignPages } from '../../../support/fixtures/affidavits/foreign-pages.ts';
import { printedWords } from '../../../support/fixtures/affidavits/printed-words.ts';

const directory = mkdtempSync(join(tmpdir(), 'trustcheck-affidavit-'));
let keys: PlatformKeys;
let sealed: Buffer;
let roots: X509Certificate[];
let lists: Buffer[];

const content = denseContent;

async function seal(what: AffidavitContent, by = keys, at = new Date()): Promise<Buffer> {
  const authority = createTimestampAuthority(by.tsa, () => at, randomBytes);
  return sealAffidavit(await renderAffidavit(what), by.seal, authority);
}

async function newKeys(name: string): Promise<PlatformKeys> {
  await createDevPki(join(directory, name), { now: new Date(), baseUrl: 'http://127.0.0.1:8080' });
  return loadKeys(join(directory, name));
}

beforeAll(async () => {
  keys = await newKeys('own');
  roots = [keys.root.certificate];
  lists = await listsOfToday(keys);
  sealed = await seal(content);
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const judge = (pdf: Uint8Array, at = new Date(Date.now() + 1000)) =>
  verifyAffidavit(pdf, roots, at, { lists });

describe('an affidavit', () => {
  it('is valid, and its verdict describes it', async () => {
    const verdict = await judge(sealed);
    expect(verdict).toMatchObject({ result: 'valid', reason_code: null });
    expect(verdict.facts).toMatchObject({
      affidavit_id: content.affidavit_id,
      outcome: 'failed',
      livemode: true,
      development: false,
      renderer: rendererId,
    });
    expect(verdict.checks.map(({ name }) => name)).toEqual([
      'form',
      'signature',
      'timestamp',
      'document_timestamp',
      'chains',
      'revocation',
      'attachment',
      'revisions',
      'pages',
      'in_force',
      'standing',
    ]);
  });

  it('is marked as development when simulated evidence is accepted', async () => {
    const verdict = await judge(await seal({ ...content, development: true }));
    expect(verdict).toMatchObject({ result: 'valid', facts: { development: true } });
  });

  it('renders the same content to the same bytes, in any order of members', async () => {
    const once = await renderAffidavit(content);
    const claims = Object.fromEntries(Object.entries(content.subject.claims).toReversed());
    const again = await renderAffidavit({ ...content, subject: { ...content.subject, claims } });
    expect(Buffer.compare(once, again)).toBe(0);
  });

  it.each(Object.keys(hostileTexts))('is valid with %s in every text', async (name) => {
    const pdf = await seal(contentWith(hostileTexts[name] ?? ''));
    expect(await judge(pdf)).toMatchObject({ result: 'valid', reason_code: null });
  });

  it('is indeterminate when its root is not trusted', async () => {
    const verdict = await verifyAffidavit(sealed, [], new Date());
    expect(verdict).toMatchObject({ result: 'indeterminate', reason_code: 'root_not_trusted' });
    const other = await newKeys('other');
    const foreign = await verifyAffidavit(sealed, [other.root.certificate], new Date());
    expect(foreign.result).toBe('indeterminate');
  });

  it.for(['pdfsig', 'qpdf', 'openssl'] as const)(
    'is valid according to %s, when installed',
    (program, { skip }) => {
      if (!isInstalled(program)) skip(`${program} is not installed`);
      const path = join(directory, `${program}.pdf`);
      writeFileSync(path, sealed);
      oracles[program](path);
    },
  );
});

function isInstalled(program: string): boolean {
  return spawnSync(program, ['-v']).error === undefined;
}

const run = (program: string, ...args: string[]): string =>
  execFileSync(program, args, { encoding: 'utf8', cwd: directory, stdio: 'pipe' });

const oracles = {
  pdfsig(path: string) {
    const said = run('pdfsig', '-nocert', path);
    expect(said).toContain('Signature is Valid.');
    expect(said).toContain('Total document signed');
    expect(said).toContain('ETSI.CAdES.detached');
  },
  qpdf(path: string) {
    expect(run('qpdf', '--check', path)).toContain('No syntax or stream encoding errors');
  },
  /** Runs only the commands that the affidavit itself prints. */
  openssl(path: string) {
    expect(saidByPrintedWords(readFileSync(path))).toEqual([0, expect.stringMatching(good)]);
  },
};

const good = /CAdES Verification successful/;

function saidByPrintedWords(pdf: Buffer, root = keys.trustBundlePem): [number | null, string] {
  writeFileSync(join(directory, 'root.pem'), root);
  writeFileSync(join(directory, 'affidavit.pdf'), pdf);
  const { status, stderr } = spawnSync('sh', ['-c', printedWords(content)], {
    cwd: directory,
    encoding: 'utf8',
  });
  return [status, stderr];
}

it('the printed commands accept an expired certificate, and reject another root or a late stamp', async ({
  skip,
}) => {
  for (const one of ['pdfsig', 'pdfdetach', 'openssl']) {
    if (!isInstalled(one)) skip(`${one} is not installed`);
  }
  const at = on('2021-03-01');
  const root = await newKey('root', null, at);
  const services = await newKey('services-ca', root, at);
  const [leaf, tsa] = [await newKey('seal', services, at), await newKey('tsa', services, at)];
  expect(leaf.certificate.validToDate.getTime()).toBeLessThan(Date.now());
  const day = plus(at, 30);
  const pages = await renderAffidavit(content);
  const aged = await sealAffidavit(pages, signerOf(leaf), stampsOf(tsa, day));
  const pem = root.certificate.toString();
  expect(saidByPrintedWords(aged, pem)).toEqual([0, expect.stringMatching(good)]);
  const [status, said] = saidByPrintedWords(aged);
  expect([status === 0, said]).toEqual([false, expect.not.stringMatching(good)]);
  const late = await sealAffidavit(pages, signerOf(leaf), stampsOf(tsa, plus(at, 1_000)));
  expect(saidByPrintedWords(late, pem)).toEqual([
    expect.not.toSatisfy((code) => code === 0),
    expect.stringContaining('certificate has expired'),
  ]);
});

/** Seals any pages with our own keys. */
function sealPages(pages: Uint8Array): Promise<Buffer> {
  const authority = createTimestampAuthority(keys.tsa, () => new Date(), randomBytes);
  return sealAffidavit(pages, keys.seal, authority);
}

/** Changes the producer: the pages look the same, but their bytes differ. */
function paint(pages: Buffer): Buffer {
  const painted = Buffer.from(pages);
  const place = painted.indexOf('<pdf:Producer>trustcheck');
  expect(place).toBeGreaterThan(0);
  painted.write('<pdf:Producer>trustchecc', place, 'latin1');
  return painted;
}

describe('a changed affidavit', () => {
  it('is never valid with a flipped bit', async () => {
    const places = fc.sample(fc.integer({ min: 0, max: sealed.length - 1 }), {
      numRuns: 40,
      seed: 7,
    });
    for (const place of places) {
      const changed = Buffer.from(sealed);
      changed[place] = (changed[place] ?? 0) ^ (1 << (place % 8));
      expect((await judge(changed)).result, `byte ${place}`).not.toBe('valid');
    }
  }, 120_000);

  it('is never valid when cut short', async () => {
    for (const part of [0, 4, 100, 0.2, 0.5, 0.9, 0.999]) {
      const length = part > 1 || part === 0 ? part : Math.floor(sealed.length * part);
      expect((await judge(sealed.subarray(0, length))).result).toBe('invalid');
    }
  });

  it('is invalid with anything appended, including a whole revision', async () => {
    const appended = [Buffer.from('\n\n'), Buffer.from(' '), Buffer.from('%%EOF\n'), sealed];
    for (const more of appended) {
      expect((await judge(Buffer.concat([sealed, more]))).result).toBe('invalid');
    }
  });

  it.each([
    ['\n', 'LF'],
    ['\r\n', 'CRLF'],
    ['\r', 'CR'],
  ])('is valid with one line end appended, which the verdict mentions: %j', async (lineEnd) => {
    const verdict = await judge(Buffer.concat([sealed, Buffer.from(lineEnd)]));
    const remark = 'the file ends with an added line end, which is ignored';
    expect(verdict.checks[0]).toEqual({ name: 'form', result: 'ok', detail: remark });
    const asIssued = await judge(sealed);
    expect(verdict).toMatchObject({ result: asIssued.result, facts: asIssued.facts });
    expect(asIssued.checks[0]).toEqual({ name: 'form', result: 'ok' });
  });

  it('ends without a line end, so that none can be missing', () => {
    expect(sealed.subarray(-5).toString('latin1')).toBe('%%EOF');
  });

  it('is invalid with bytes hidden in the padding of the seal', async () => {
    const text = sealed.toString('latin1');
    const end = text.indexOf('>', text.indexOf('/Contents <') + 20);
    const changed = Buffer.from(sealed);
    changed.write('41', end - 2, 'latin1');
    expect(await judge(changed)).toMatchObject({ result: 'invalid', reason_code: 'hidden_bytes' });
  });

  it('is invalid when the pages differ from the attachment', async () => {
    const shown = Buffer.from(await renderAffidavit(content));
    expect((await judge(await sealPages(paint(shown)))).reason_code).toBe('pages_differ');
    const bare = await foreignPages(canonicalJson(content));
    expect((await judge(await sealPages(bare))).reason_code).toBe('pages_differ');
  });

  it('is indeterminate or invalid when sealed or stamped with foreign keys', async () => {
    const others = await newKeys('others');
    expect((await judge(await seal(content, others))).result).toBe('indeterminate');
    const mixed = { ...keys, tsa: others.tsa };
    expect((await judge(await seal(content, mixed))).result).not.toBe('valid');
    const selfStamped = { ...keys, tsa: keys.seal };
    expect((await judge(await seal(content, selfStamped))).reason_code).toBe('timestamp');
  });

  it('is not valid with a time stamp outside the certificates or in the future', async () => {
    const early = new Date(Date.now() - 10 * 24 * 3600_000);
    expect((await judge(await seal(content, keys, early))).result).not.toBe('valid');
    const late = new Date(Date.now() + 3600_000);
    expect((await judge(await seal(content, keys, late))).result).toBe('indeterminate');
  });
});
