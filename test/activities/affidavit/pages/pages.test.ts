import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PDFArray, PDFDict, PDFDocument, PDFName, PDFNumber, PDFStream } from 'pdf-lib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { renderAffidavit } from '../../../../activities/affidavit/render.ts';
import {
  affidavitContent,
  canonicalJson,
  listMax,
  type AffidavitContent,
} from '../../../../domain/affidavit/content.ts';
import { explainDecision } from '../../../../domain/affidavit/words/explain-decision.ts';
import { explainProof } from '../../../../domain/affidavit/words/proof-results.ts';
import {
  contentWith,
  denseContent,
  faceProof,
  hostileTexts,
  lightContent,
} from '../../../support/fixtures/affidavits/contents.ts';
import { contentOf } from './page-content.ts';

const directory = mkdtempSync(join(tmpdir(), 'trustcheck-pages-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const isReaderInstalled = spawnSync('pdftotext', ['-v']).error === undefined;

/** Returns the text of each page. */
async function pagesOf(content: AffidavitContent): Promise<string[]> {
  const path = join(directory, 'pages.pdf');
  writeFileSync(path, await renderAffidavit(content));
  const text = execFileSync('pdftotext', ['-layout', path, '-'], { encoding: 'utf8' });
  return text.split('\f').slice(0, -1);
}

const headings = [
  'Statement',
  'Subject',
  'Requester and operator',
  'Proofs',
  'Device',
  'Timeline',
  'Policy and decision',
  'Keys',
  'How to verify this document',
  'Limitations',
];

describe.skipIf(!isReaderInstalled)('the pages of an affidavit', () => {
  it.each([
    ['light', lightContent],
    ['dense', denseContent],
  ])('have every section in order: %s', async (_name, content) => {
    const text = (await pagesOf(content)).join('\n');
    const places = headings.map((heading, index) =>
      text.search(new RegExp(`^\\s*${index + 1} +${heading}$`, 'm')),
    );
    expect(places).not.toContain(-1);
    expect(places).toEqual(places.toSorted((one, other) => one - other));
  });

  it('show all proofs and how they were established', async () => {
    const text = (await pagesOf(denseContent)).join('\n').replaceAll(/\s+/g, ' ');
    const shown = [
      'FAILED The claims do not match the claims that the requester expected. Decided 2026-11-21 05:59:59 UTC.',
      'Name ERIKSSON ANNA MARIA',
      'Age over 18 yes',
      'Phone number mismatch',
      'Email not compared: no proof showed a value that the service could compare',
      'the requester’s own words. The service did not check them. Account Example account',
      'Purpose Opening of an account',
      'Legal name Example Operator Ltd Address 1 Example Street, Example City',
      'Consent given 2026-11-21 05:58:30 UTC',
      'Reference contract-2026-000815',
      'Consented claims full name, age over 18',
      'Verdict of the service passed, 2026-11-21 05:59:40 UTC',
      'Steps passed data can be read, signature over the data, certificate of the signer',
      'Steps without a result certificates not revoked, chip authentication (2)',
      'Active authentication ok',
      'cdcdcdcd cdcdcdcd',
      'Attestation Apple App Attest: passed',
      'OS version 26.1',
      'Decided by the reviewer tk_live_0123456789ab, because the rules could not decide',
      'Allowed countries UTO, DEU',
      'Key of the subject NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs',
      'Public log 127.0.0.1:8080/log',
      `Key of the public log ${denseContent.log.key}`,
      'A printed copy proves nothing by itself',
      'npx trustcheck verify affidavit.pdf --root root.pem',
      'the service sent a code by SMS to the number, and someone entered the same code',
    ];
    for (const words of shown) expect(text).toContain(words);
  });

  it('name the failed proof on page 1, and explain its numbers in section 4', async () => {
    const decision = { ...denseContent.decision, rule: 'failed_proof' };
    const proofs = [{ ...faceProof, explanation: explainProof(faceProof) }];
    const explanation = explainDecision({ decision, matching: {}, proofs });
    const content = { ...denseContent, proofs, decision: { ...decision, explanation } };
    const pages = (await pagesOf(content)).map((page) => page.replaceAll(/\s+/g, ' '));
    expect(pages[0]).toContain(
      'Face: failed. The face does not match the portrait in the document.',
    );
    expect(pages.join(' ')).toContain('Similarity 0.312 Similarity needed 0.5');
    expect(pages.join(' ')).toContain('A match needs at least 0.5.');
  });

  it('show no result of a review that did not take place', async () => {
    const status = 'in_review';
    const face = { ...faceProof, status, judgement: 'unsure', reason_code: 'portrait_unusable' };
    const proofs = [{ ...face, judgement: 'unsure' as const }];
    const timeline = [
      { at: face.judged_at ?? '', event: 'proof.updated', state: 'biometric: in_review' },
    ];
    const text = (await pagesOf({ ...denseContent, proofs, timeline })).join(' ');
    expect(text.replaceAll(/\s+/g, ' ')).toContain('Face: not decided');
    expect(text).not.toMatch(/in review/i);
  });

  it('show the verdict and the decision of the reviewer separately, each with its time', async () => {
    const face = { ...faceProof, status: 'passed', judgement: 'unsure' as const };
    const decision = { ...denseContent.decision, outcome: 'passed', explanation: [] };
    const pages = await pagesOf({ ...denseContent, proofs: [face], decision });
    const text = pages.join(' ').replaceAll(/\s+/g, ' ');
    expect(text).toContain('Verdict of the service not decided, 2026-11-21 05:59:40 UTC');
    expect(text).toContain('Decision of the reviewer accepted, 2026-11-21 05:59:59 UTC');
    expect(text).toContain('Face: accepted by the reviewer');
  });

  it('distinguish claims not requested, not consented to and not established', async () => {
    const subject = {
      ...denseContent.subject,
      claims: {},
      absent_claims: {
        full_name: 'not_consented',
        phone_number: 'not_established',
        document_type: 'not_requested',
      },
    } as const;
    const text = (await pagesOf({ ...denseContent, subject })).join(' ').replaceAll(/\s+/g, ' ');
    expect(text).toContain('Name not consented to');
    expect(text).toContain('Phone number not established');
    expect(text).toContain('Document type not asked for');
  });

  it('write every time in one format', async () => {
    const attested = { ...denseContent.device?.facts, attested_at: '2026-11-20T10:00:00.000Z' };
    const device = denseContent.device && { ...denseContent.device, facts: attested };
    const text = (await pagesOf({ ...denseContent, device })).join(' ');
    expect(text).toMatch(/Attested at\s+2026-11-20 10:00:00 UTC/);
    expect(text).not.toMatch(/\d{4}-\d\d-\d\dT/);
  });

  it('say that the operator is not named when the service runs for development', async () => {
    const text = (await pagesOf({ ...denseContent, operator: null })).join(' ');
    expect(text).toContain(
      'This document names no operator, because the service runs for development.',
    );
  });

  it('mark every page of a test, and no page of a real affidavit', async () => {
    const test = await pagesOf({ ...denseContent, livemode: false });
    expect(test.length).toBeGreaterThan(3);
    for (const page of test) expect(page).toContain('TEST: this document proves nothing');
    expect((await pagesOf(denseContent)).join()).not.toContain('TEST');
  });

  it('mark every page when simulated evidence is accepted, beside any other mark', async () => {
    const words =
      'DEVELOPMENT: the service accepts simulated evidence, which proves nothing about a person';
    const development = { ...denseContent, development: true };
    for (const page of await pagesOf(development)) expect(page).toContain(words);
    const [first = ''] = await pagesOf(development);
    expect(first).toMatch(/^\s*DEVELOPMENT: FAILED$/m);
    const test = await pagesOf({ ...development, livemode: false });
    for (const page of test) {
      expect(page).toContain(words);
      expect(page).toContain('TEST: this document proves nothing');
    }
    expect(test[0]).toMatch(/^\s*TEST: DEVELOPMENT: FAILED$/m);
    expect((await pagesOf(denseContent)).join()).not.toContain('DEVELOPMENT');
  });

  it('have a page number and the affidavit id on every page', async () => {
    const pages = await pagesOf(denseContent);
    for (const [index, page] of pages.entries()) {
      expect(page).toContain(`Page ${index + 1} of ${pages.length}`);
      expect(page).toContain(denseContent.affidavit_id);
    }
  });
});

describe('the file of an affidavit', () => {
  let document: PDFDocument;
  const of = (name: string) => document.catalog.get(PDFName.of(name));
  beforeAll(async () => {
    const pdf = await renderAffidavit({ ...denseContent, livemode: false });
    document = await PDFDocument.load(pdf, { updateMetadata: false });
  });

  it('is small', async () => {
    expect((await renderAffidavit(lightContent)).length).toBeLessThan(55_000);
    expect((await renderAffidavit(denseContent)).length).toBeLessThan(73_000);
  });

  it('has the entries that PDF/A-3U requires', () => {
    for (const name of ['Lang', 'MarkInfo', 'StructTreeRoot', 'OutputIntents', 'AF', 'Metadata']) {
      expect(of(name), name).toBeDefined();
    }
    for (const name of ['OpenAction', 'AA', 'JavaScript']) expect(of(name), name).toBeUndefined();
    const metadata = document.catalog.lookup(PDFName.of('Metadata'), PDFStream);
    const xmp = Buffer.from(metadata.getContents()).toString('utf8');
    expect(xmp).toMatch(/<pdfaid:part>3<.*<pdfaid:conformance>U</s);
    // PDF/UA-1, and its description as a PDF/A extension schema.
    expect(xmp).toMatch(/<pdfuaid:part>1<.*<pdfaSchema:prefix>pdfuaid</s);
  });

  it('embeds every font with the meaning of each glyph', () => {
    const dicts = document.context
      .enumerateIndirectObjects()
      .flatMap(([, object]) => (object instanceof PDFDict ? [object] : []));
    const typed = (type: string) =>
      dicts.filter((dict) => dict.get(PDFName.of('Type')) === PDFName.of(type));
    const fonts = typed('Font').filter((dict) => dict.has(PDFName.of('DescendantFonts')));
    expect(fonts).toHaveLength(2);
    for (const font of fonts) expect(font.has(PDFName.of('ToUnicode'))).toBe(true);
    const descriptors = typed('FontDescriptor');
    expect(descriptors).toHaveLength(2);
    for (const one of descriptors) expect(one.has(PDFName.of('FontFile2'))).toBe(true);
  });

  it('assigns all page content to a structure element or marks it as an artifact', () => {
    const root = document.catalog.lookup(PDFName.of('StructTreeRoot'), PDFDict);
    const numbers = root.lookup(PDFName.of('ParentTree'), PDFDict).lookup(PDFName.of('Nums'));
    if (!(numbers instanceof PDFArray)) throw new Error('no parent tree');
    for (const page of document.getPages()) {
      const operators = contentOf(page);
      const index = page.node.lookup(PDFName.of('StructParents'), PDFNumber).asNumber();
      const owners = numbers.lookup(index * 2 + 1, PDFArray);
      const marks = [...operators.matchAll(/\/MCID (\d+)/g)].map(([, mcid]) => Number(mcid));
      expect(marks).toEqual(marks.map((_, position) => position));
      expect(owners.size()).toBe(marks.length);
      const bare = operators.replaceAll(/\/(?:Artifact BMC|\w+ <<\/MCID \d+>> BDC)[^]*?\nEMC/g, '');
      expect(bare.trim()).toBe('');
    }
  });
});

describe('the content of an affidavit', () => {
  it('is cut once when too long, and says so', () => {
    const long = contentWith('x'.repeat(100_000));
    const once = canonicalJson(long);
    const { purpose } = affidavitContent.parse(JSON.parse(once)).requester;
    expect(purpose).toMatch(/^x+… \[\d+ more\]$/);
    expect(purpose?.length).toBeLessThanOrEqual(1000);
    expect(canonicalJson(affidavitContent.parse(JSON.parse(once)))).toBe(once);
  });

  it.each(Object.keys(hostileTexts))('has one canonical spelling: %s', (name) => {
    const json = canonicalJson(contentWith(hostileTexts[name] ?? ''));
    expect(canonicalJson(affidavitContent.parse(JSON.parse(json)))).toBe(json);
    expect(json.isWellFormed()).toBe(true);
  });

  it('limits the length of lists', () => {
    const [event] = denseContent.timeline;
    const timeline = Array.from({ length: listMax.timeline + 1 }, () => event);
    expect(affidavitContent.safeParse({ ...denseContent, timeline }).success).toBe(false);
    const claims = Object.fromEntries(timeline.map((_, index) => [`claim_${index}`, 'x']));
    const subject = { ...denseContent.subject, claims };
    expect(affidavitContent.safeParse({ ...denseContent, subject }).success).toBe(false);
  });
});
