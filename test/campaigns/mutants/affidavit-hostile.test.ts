import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { renderAffidavit } from '../../../activities/affidavit/render.ts';
import { verifyAffidavit } from '../../../activities/affidavit/verify.ts';
import { createDevPki } from '../../../activities/keys/changes/dev-pki.ts';
import { loadKeys, type PlatformKeys } from '../../../activities/keys/directory/load-keys.ts';
import { signedRangesOf } from '../../../domain/affidavit/verify/signed-range.ts';
import { archivesMax } from '../../../domain/pdf/signature/archive.ts';
import { sealBytesMax } from '../../../domain/pdf/signature/empty-seal.ts';
import { sealAffidavit } from '../../../domain/pdf/signature/seal.ts';
import { createTimestampAuthority } from '../../../domain/pki/timestamps/sign-token.ts';
import { commandHere } from '../../support/commands/command-here.ts';
import { listsOfToday } from '../../support/fixtures/affidavits/archives.ts';
import { lightContent } from '../../support/fixtures/affidavits/contents.ts';

const directory = mkdtempSync(join(tmpdir(), 'trustcheck-hostile-'));
let keys: PlatformKeys;
let sealed: Buffer;
let lists: Buffer[];

beforeAll(async () => {
  await createDevPki(directory, { now: new Date(), baseUrl: 'http://127.0.0.1:8080' });
  keys = loadKeys(directory);
  lists = await listsOfToday(keys);
  const authority = createTimestampAuthority(keys.tsa, () => new Date(), randomBytes);
  sealed = await sealAffidavit(await renderAffidavit(lightContent), keys.seal, authority);
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const judge = (pdf: Uint8Array) =>
  verifyAffidavit(pdf, [keys.root.certificate], new Date(Date.now() + 1000), { lists });

describe('a byte range', () => {
  const hole = `<${'0'.repeat(sealBytesMax * 2)}>`;
  /** Appends a signed part to a text, with its range spelled in some way. */
  const signed = (before: string, spell = (range: string) => range): string => {
    const at = before.length + 200;
    const range = spell(`/ByteRange [0 ${at} ${at + hole.length} 5   ]`);
    return `${before}${range.padEnd(200)}${hole}%%EOF`;
  };

  it.each<[string, (range: string) => string]>([
    [
      'hexadecimal',
      (range) => range.replaceAll(/\d{2,}/g, (one) => `0x${Number(one).toString(16)}`),
    ],
    ['with a fraction', (range) => range.replace(' 5 ', ' 5.0 ')],
    ['with an exponent', (range) => range.replace(' 5 ', ' 5e0 ')],
    ['from minus zero', (range) => range.replace('[0', '[-0')],
    ['with a plus', (range) => range.replace(' 5 ', ' +5 ')],
    ['with a leading zero', (range) => range.replace(' 5 ', ' 05 ')],
    ['with a space that PDF does not define', (range) => range.replace('[0 ', '[0\u00a0')],
    ['after such a space', (range) => range.replace('/ByteRange ', '/ByteRange\u00a0')],
    ['with two spaces', (range) => range.replace('[0 ', '[0  ')],
    ['of five numbers', (range) => range.replace(' 5 ', ' 5 0 ')],
    ['with a comment', (range) => range.replace('[0 ', '[0%\n')],
  ])('is read only in its exact form, not %s', (_how, spell) => {
    const [seal, both] = [signed(''), signed(signed(''))];
    const read = (text: string) => signedRangesOf(Buffer.from(text, 'latin1'));
    const archives = [seal, both].map((text) => read(text)?.archives.map(({ from }) => from));
    expect(archives).toEqual([[], [seal.length]]);
    expect([read(signed('', spell)), read(signed(seal, spell))]).toEqual([null, null]);
  });

  it('is followed by at most as many as a file can have archives', () => {
    const stamp = `<${'0'.repeat(2 * 4096)}>`;
    let text = signed('');
    const archivesOf = () => signedRangesOf(Buffer.from(text, 'latin1'))?.archives.length;
    for (let index = 0; index < archivesMax; index += 1) {
      const at = text.length + 200;
      const range = `/ByteRange [0 ${at} ${at + stamp.length} 5   ]`;
      text = `${text}${range.padEnd(200)}${stamp}%%EOF`;
    }
    expect(archivesOf()).toBe(archivesMax);
    text = signed(text);
    expect(archivesOf()).toBeUndefined();
  });
});

describe('a hostile file', () => {
  it('gets the verdict invalid', async () => {
    const hostile = [
      Buffer.from('%PDF-1.7\n/ByteRange [0 0 0 0]'),
      Buffer.from(`%PDF-1.7 /ByteRange [0 10 16396 0] <${'f'.repeat(16_384)}>`),
      Buffer.alloc(100_000, 0x30),
      randomBytes(50_000),
      Buffer.from(`%PDF-${'['.repeat(100_000)}`),
    ];
    for (const file of hostile) expect((await judge(file)).result).toBe('invalid');
  });

  it('takes little memory for any number of byte ranges', async () => {
    const mebibyte = 1024 * 1024;
    const form = '/ByteRange[]';
    const file = Buffer.from(`%PDF-1.7${form.repeat((19 * mebibyte) / form.length)}`);
    const before = process.memoryUsage().rss;
    expect((await judge(file)).reason_code).toBe('byte_range');
    // The file is copied and decoded once each; every stored match would take 280 bytes more.
    expect(process.memoryUsage().rss - before).toBeLessThan(160 * mebibyte);
  });

  it('prints no parser warnings on the terminal, even when its seal is genuine', async () => {
    const pages = Buffer.from(await renderAffidavit(lightContent));
    const place = /\d+ 0 obj/.exec(pages.toString('latin1'))?.index ?? 0;
    const odd = `990 0 obj\n[99999999999999999999]\nendobj\n991 0 obj\n<</A [1 2>>\nendobj\n`;
    const parts = [pages.subarray(0, place), Buffer.from(odd), pages.subarray(place)];
    const authority = createTimestampAuthority(keys.tsa, () => new Date(), randomBytes);
    const pdf = join(directory, 'odd.pdf');
    writeFileSync(pdf, await sealAffidavit(Buffer.concat(parts), keys.seal, authority));
    const at = new Date(Date.now() + 60_000).toISOString();
    const root = join(directory, 'root.cer.pem');
    const flags = ['verify', pdf, '--root', root, '--at', at, '--json'];
    const { code, stdout, stderr } = await commandHere(directory, flags);
    expect([code, stderr]).toEqual([2, '']);
    const verdict = JSON.parse(stdout);
    expect(verdict).toMatchObject({ result: 'invalid', reason_code: 'malformed' });
    expect(verdict.checks).toContainEqual({ name: 'chains', result: 'ok' });
  });

  it('is not parsed before its seal is verified', async () => {
    const range = /\/ByteRange \[[^\]]+\]/.exec(sealed.toString('latin1'))?.[0] ?? '';
    const digits = Buffer.from(`%PDF-1.7\n${range}\n[${'1'.repeat(500_000)}]`);
    const manyRanges = Buffer.from(`%PDF-1.7\n${'/ByteRange ['.repeat(1_500_000)}`);
    const changed = Buffer.from(sealed);
    changed.fill('[', 2000, 3000, 'latin1');
    for (const file of [digits, manyRanges, changed]) {
      const { result, checks } = await judge(file);
      expect(result).toBe('invalid');
      const parsed = checks.filter(({ name }) => name === 'attachment' || name === 'pages');
      expect(parsed.map((check) => check.result)).toEqual(['skipped', 'skipped']);
    }
  });
});
