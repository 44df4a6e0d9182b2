import { createHash, randomBytes, X509Certificate } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { renderAffidavit } from '../../../activities/affidavit/render.ts';
import { verifyAffidavit } from '../../../activities/affidavit/verify.ts';
import { loadKeys, type PlatformKeys } from '../../../activities/keys/directory/load-keys.ts';
import { anchorText, reportOf } from '../../../cli/verify/report.ts';
import { canonicalJson } from '../../../domain/affidavit/content.ts';
import { archiveAffidavit, unique } from '../../../domain/pdf/signature/archive.ts';
import { sealAffidavit } from '../../../domain/pdf/signature/seal.ts';
import * as timestamps from '../../../domain/pki/timestamps/sign-token.ts';
import { signLogCheckpoint } from '../../../domain/transparency/checkpoint.ts';
import { entryOf } from '../../../domain/transparency/entry.ts';
import { createLogSigner } from '../../../domain/transparency/log-signer.ts';
import { leafHash } from '../../../domain/transparency/merkle.ts';
import { encodeProof } from '../../../domain/transparency/proof-file.ts';
import {
  desktop,
  expectAccessible,
  looks,
  missing,
  openBrowser,
  openPage,
  phone,
} from '../../support/browser/browser.ts';
import { listOf, rootListOf } from '../../support/fixtures/affidavits/archives.ts';
import * as contents from '../../support/fixtures/affidavits/contents.ts';
import { foreignPages } from '../../support/fixtures/affidavits/foreign-pages.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';
import { askInPage } from './ask-in-page.ts';
import { outsideAuthority } from './outside-authority.ts';

const { baseUrl, dataDir } = ownPlatform();
const directory = mkdtempSync(join(tmpdir(), 'trustcheck-page-'));
const place = (name: string): string => join(directory, name);
let browser: Browser;
let keys: PlatformKeys;
let authority: timestamps.TimestampAuthority;
let pages: Buffer;
let sealed: Buffer;

const seal = (what: Uint8Array): Promise<Buffer> => sealAffidavit(what, keys.seal, authority);
const later = (): Date => new Date(Date.now() + 60_000);

/** Seals the pages with our own seal and with `text` before their first object. */
function withObjects(text: string): Promise<Buffer> {
  const first = /\d+ 0 obj/.exec(pages.toString('latin1'))?.index ?? 0;
  const parts = [pages.subarray(0, first), Buffer.from(text), pages.subarray(first)];
  return seal(Buffer.concat(parts));
}

function flipped(pdf: Buffer, at: number): Buffer {
  const other = Buffer.from(pdf);
  other[at] = (other[at] ?? 0) ^ 1;
  return other;
}

beforeAll(async () => {
  keys = loadKeys(join(dataDir, 'keys'));
  authority = timestamps.createTimestampAuthority(keys.tsa, () => new Date(), randomBytes);
  pages = Buffer.from(await renderAffidavit(contents.lightContent));
  sealed = await seal(pages);
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

async function archived(pdf = sealed, revoked?: X509Certificate): Promise<Buffer> {
  const list = await listOf(keys, revoked ? { revoked } : {});
  const certificates = unique([...keys.seal.certificateChain, ...keys.tsa.certificateChain]);
  return archiveAffidavit(pdf, { certificates, crls: [list, rootListOf(keys)] }, authority);
}

/** Returns the proof that a file is the first entry of the platform’s log. */
async function proofOf(pdf: Buffer): Promise<string> {
  const signer = createLogSigner(keys.secret('transparency-log'), `${new URL(baseUrl).host}/log`);
  const { facts } = await verifyAffidavit(pdf, [keys.root.certificate], later());
  const { affidavit_id = '', sealed_at = '', sha256 } = facts;
  const root = leafHash(entryOf({ affidavit_id, sha256, sealed_at: new Date(sealed_at) }));
  const checkpoint = await signLogCheckpoint(signer, { size: 1, root });
  return encodeProof({ index: 0, path: [], checkpoint });
}

const stateOf = (page: Page): Promise<string> => page.innerText('#state strong');

describe.skipIf(missing)('the page of the verifier', () => {
  beforeAll(async () => {
    browser = await openBrowser();
    writeFileSync(place('affidavit.pdf'), await archived());
  });
  afterAll(() => browser.close());

  it('returns the same verdict as the command for each file', async () => {
    const everything = contents.contentWith(
      Object.values(contents.hostileTexts)
        .map((text) => text.slice(0, 40))
        .join(' ')
        // The page has no fonts for these and says so, whereas the command compares the pages.
        .replace(/[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}\u3000-\u303f\uff00-\uffef]/gu, ''),
    );
    const text = sealed.toString('latin1');
    const padding = text.indexOf('>', text.indexOf('/Contents <') + 20) - 2;
    const hidden = Buffer.from(sealed);
    hidden.write('41', padding, 'latin1');
    const whole = await archived();
    const files: Record<string, Buffer> = {
      'indeterminate, sealed': sealed,
      'valid, archived': whole,
      'valid, with every script': await archived(
        await seal(Buffer.from(await renderAffidavit(everything))),
      ),
      'invalid, no PDF': Buffer.from('no PDF'),
      'invalid, empty': Buffer.alloc(0),
      'invalid, a page changed': flipped(sealed, 500),
      'invalid, the seal changed': flipped(sealed, text.indexOf('/Contents <') + 700),
      'invalid, the time stamp changed': flipped(whole, whole.length - 9_000),
      'invalid, something hidden': hidden,
      'invalid, something appended': Buffer.concat([sealed, Buffer.from('\n\n')]),
      'valid, one line end appended': Buffer.concat([whole, Buffer.from('\r\n')]),
      'invalid, cut off': sealed.subarray(0, sealed.length >> 1),
      'invalid, revoked': await archived(sealed, keys.seal.certificate),
      'invalid, pages of another': await seal(
        await foreignPages(canonicalJson(contents.lightContent)),
      ),
      'invalid, no statement': await seal(await foreignPages('{')),
      'invalid, an object that is none': await withObjects('990 0 obj\n<</A [1 2>>\nendobj\n'),
      'invalid, deep': Buffer.from(`%PDF-${'['.repeat(100_000)}`),
    };
    const watched = await openPage(browser);
    await watched.page.goto(`${baseUrl}/verify`);
    const [at, root] = [later(), keys.trustBundlePem];
    const asked = Object.values(files).map((pdf) => [pdf, root] as const);
    const answers = await askInPage(watched.page, [...asked, [sealed, '']], at);
    const { certificate } = keys.root;
    for (const [index, [name, pdf]] of Object.entries(files).entries()) {
      const verdict = await verifyAffidavit(pdf, [certificate], at);
      expect(verdict.result, name).toBe(name.split(',')[0]);
      expect(answers[index], name).toMatchObject({
        verdict: JSON.parse(JSON.stringify(verdict)),
        report: reportOf(verdict),
        anchors: [anchorText(certificate)],
      });
    }
    expect(answers.at(-1)).toMatchObject({
      verdict: { result: 'indeterminate', reason_code: 'root_not_trusted' },
      anchors: [],
    });
    await watched.close();
  });

  it('verifies by keyboard alone, on any screen, without network requests', async () => {
    for (const [index, size] of [desktop, phone].entries()) {
      const watched = await openPage(browser, size);
      const { page } = watched;
      await page.goto(`${baseUrl}/verify`);
      await page.keyboard.press('Tab');
      expect(await page.evaluate('document.activeElement.id')).toBe('pdf');
      await page.setInputFiles('#pdf', place('affidavit.pdf'));
      await page.locator('#answer').waitFor();
      expect(await stateOf(page)).toBe('Valid');
      const sha256 = createHash('sha256').update(keys.root.certificate.raw).digest('hex');
      const said = await page.innerText('main');
      expect(said.split(sha256).length - 1, 'the root, to be compared').toBe(2);
      expect(said).toContain('proves nothing alone');
      expect(await page.innerText('#answer')).toContain('everything up to the end of the file');
      await expectAccessible(page, 'the verifier', looks.slice(index, index + 1));
      await page.emulateMedia({ media: 'print' });
      expect(await page.locator('#question').isVisible()).toBe(false);
      expect(await page.locator('#checks').isVisible()).toBe(true);
      await page.emulateMedia({ media: 'screen' });
      if (size === desktop) {
        await page.fill('#at', '2020-01-01T00:00:00');
        await page.focus('#go');
        await page.keyboard.press('Enter');
        await page.getByText('indeterminate: timestamp_in_future').waitFor();
        expect(await page.locator('#proves').isVisible()).toBe(false);
      }
      const { host } = new URL(baseUrl);
      expect(watched.requests.filter((url) => !url.startsWith('blob:'))).toEqual([
        `http://${host}/verify`,
      ]);
      expect(watched.complaints).toEqual([]);
      await watched.close();
    }
  });

  it('can be saved and works from disk', async () => {
    const watched = await openPage(browser);
    const { page } = watched;
    const answer = await page.goto(`${baseUrl}/verify`);
    const policy = answer?.headers()['content-security-policy'] ?? '';
    expect(policy).toContain("connect-src 'none'");
    expect(policy).not.toContain('unsafe');
    const [saved] = await Promise.all([page.waitForEvent('download'), page.click('#save')]);
    await saved.saveAs(place('verify.html'));
    const copy = readFileSync(place('verify.html'), 'utf8');
    expect(copy).toBe(await (await fetch(`${baseUrl}/verify`)).text());
    const [, held = ''] = /http-equiv="Content-Security-Policy" content="([^"]+)"/.exec(copy) ?? [];
    expect(`${held.replaceAll('&apos;', "'")}; frame-ancestors 'none'`).toBe(policy);
    const address = pathToFileURL(place('verify.html')).href;
    await page.goto(address);
    await page.setInputFiles('#pdf', place('affidavit.pdf'));
    await page.locator('#answer').waitFor();
    expect(await stateOf(page)).toBe('Valid');
    expect(await page.locator('#save').isVisible()).toBe(false);
    expect(watched.complaints).toEqual([]);
    const asked = watched.requests.filter((url) => !url.startsWith('blob:'));
    expect([...new Set(asked)]).toEqual([`${baseUrl}/verify`, address]);
    // The policy blocks every network request.
    const refused = await page.evaluate(`new Promise((resolve) => {
      addEventListener('securitypolicyviolation', (event) => resolve(event.effectiveDirective));
      fetch('${baseUrl}/livez').catch(() => undefined);
    })`);
    expect(refused).toBe('connect-src');
    await watched.close();
  });

  it('assigns dropped files to their inputs, and names those it cannot use', async () => {
    const { page, close } = await openPage(browser);
    await page.goto(`${baseUrl}/verify`);
    const drop = (files: Record<string, string>) =>
      page.evaluate(`{
        const data = new DataTransfer();
        for (const [name, text] of Object.entries(${JSON.stringify(files)})) {
          const bytes = Uint8Array.from(atob(text), (char) => char.charCodeAt(0));
          data.items.add(new File([bytes], name));
        }
        document.querySelector('h1').dispatchEvent(
          new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true }));
      }`);
    const proof = Buffer.from(await proofOf(sealed)).toString('base64');
    const place = '../../../docs/protocols/sample-evidence.json';
    const sample = readFileSync(new URL(place, import.meta.url));
    const pdf = sealed.toString('base64');
    await drop({ 'a.pdf': pdf, 'a.tlog-proof': proof, 'a.json': sample.toString('base64') });
    await page.getByText('invalid: evidence_differs').waitFor();
    expect(await page.innerText('#checks')).toContain('✓ log');
    expect(await page.innerText('#anchors')).toContain('(its key is from this page)');
    await drop({ 'a.cer': keys.root.certificate.raw.toString('base64') });
    // The verdict stays the same; only the shown root tells when the page has verified again.
    await page.waitForFunction(`document.querySelector('#root').value.includes('BEGIN CERT')`);
    const ownRoot = page.locator('#anchors', { hasText: '(from this page)' });
    await ownRoot.waitFor({ state: 'detached' });
    await page.getByText('invalid: evidence_differs').waitFor();
    await drop({ 'b.pem': btoa('no root') });
    await page.getByText('no certificate in PEM or DER').waitFor();
    expect([await stateOf(page), await page.locator('#answer').isVisible()]).toEqual([
      'No verdict',
      false,
    ]);
    await close();
  });

  it('trusts an outside time stamp authority by its submitted root', async () => {
    const outside = await outsideAuthority(place('outside'), baseUrl);
    const stamped = await sealAffidavit(pages, keys.seal, outside.authority);
    writeFileSync(place('stamped.pdf'), await archived(stamped));
    writeFileSync(place('tsa.cer'), new X509Certificate(outside.root).raw);
    const { page, close } = await openPage(browser);
    await page.goto(`${baseUrl}/verify`);
    await page.setInputFiles('#pdf', place('stamped.pdf'));
    await page.getByText('indeterminate: root_not_trusted').waitFor();
    await page.setInputFiles('#tsa-roots', place('tsa.cer'));
    await page.click('#go');
    // The file has no CRL of that authority: its stamp is trusted, but its revocation is unknown.
    await page.getByText('✓ chains').waitFor();
    writeFileSync(place('tsa.pem'), 'no root');
    await page.setInputFiles('#tsa-roots', place('tsa.pem'));
    await page.click('#go');
    await page.getByText('no certificate in PEM or DER').waitFor();
    await close();
  });

  it('limits the work for hostile files, and stays usable meanwhile', async () => {
    const { page, close } = await openPage(browser);
    await page.goto(`${baseUrl}/verify`);
    writeFileSync(place('large.pdf'), '%PDF-1.7');
    truncateSync(place('large.pdf'), 200 * 1024 * 1024);
    await page.setInputFiles('#pdf', place('large.pdf'));
    await page.getByText('invalid: not_an_affidavit').waitFor();
    // Sealed under the trust anchor itself, because files with other seals are not parsed.
    const million = await withObjects('9 0 obj\n1\nendobj\n'.repeat(1_000_000));
    writeFileSync(place('million.pdf'), million);
    await page.setInputFiles('#pdf', place('million.pdf'));
    await page.click('#stop');
    await page.getByText('You stopped the verification').waitFor();
    await page.clock.install();
    await page.click('#go');
    await page.locator('#state[data-state=running]').waitFor();
    await page.clock.fastForward(61_000);
    await page.getByText('Verification took longer than 60 seconds').waitFor();
    expect(await stateOf(page)).toBe('No verdict');
    await page.setInputFiles('#pdf', place('affidavit.pdf'));
    await page.locator('#answer').waitFor();
    expect(await stateOf(page)).toBe('Valid');
    await close();
  });
});
