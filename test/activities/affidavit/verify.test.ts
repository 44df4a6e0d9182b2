import { execFileSync } from 'node:child_process';
import { randomBytes, type X509Certificate } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AffidavitContent } from '../../../activities/affidavit/content.ts';
import { renderAffidavit } from '../../../activities/affidavit/render.ts';
import { sealAffidavit } from '../../../activities/affidavit/seal.ts';
import { createTimestampAuthority } from '../../../activities/affidavit/timestamp.ts';
import { verifyAffidavit } from '../../../activities/affidavit/verify.ts';
import { createDevPki } from '../../../activities/certificates/dev-pki.ts';
import { loadKeys, type PlatformKeys } from '../../../activities/certificates/load-keys.ts';

const directory = mkdtempSync(join(tmpdir(), 'trustcheck-affidavit-'));
let keys: PlatformKeys;
let sealed: Buffer;
let roots: X509Certificate[];

const content: AffidavitContent = {
  schema: 'trustcheck-affidavit/1',
  affidavit_id: 'aff_00000000000000000000000001',
  verify_url: 'http://127.0.0.1:8080/verify/aff_00000000000000000000000001',
  issued_at: '2026-11-21T06:00:00.000Z',
  livemode: true,
  subject: {
    poly_user_id: null,
    claims: { phone_number: '+4915112345678', full_name: 'ANNA MARIA ERIKSSON' },
  },
  requester: {
    account_id: 1,
    account_name: 'Example account',
    app_id: 'example-app',
    app_name: 'Example app',
    link_uuid: '6f9619ff-8b86-4d01-b42d-00cf4fc964ff',
    title: 'A check',
    reference_id: null,
  },
  consent: { tos_version: '1', claims: [], at: '2026-11-21T05:59:00.000Z' },
  session: { link_session_id: 'tc_1', workflow_id: 'trust-check/tc_1' },
  decision: { outcome: 'passed', reason_code: null, decided_at: '2026-11-21T05:59:59.000Z' },
  proofs: [
    {
      type: 'phone',
      status: 'passed',
      attempts: 1,
      provider: 'sms',
      reason_code: null,
      evidence_sha256: 'ab'.repeat(32),
      checks: [],
    },
  ],
  matching: {},
  timeline: [{ at: '2026-11-21T05:58:00.000Z', event: 'trust_check.created', state: 'created' }],
  policy: { framework: 'urn:trustcheck:policy:default', version: '1' },
  keys: { seal_sha256: '00', tsa_sha256: '00', root_sha256: '00' },
};

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
  sealed = await seal(content);
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const judge = (pdf: Uint8Array, at = new Date(Date.now() + 1000)) =>
  verifyAffidavit(pdf, roots, at);

describe('an affidavit', () => {
  it('is valid, and says what it is', async () => {
    const verdict = await judge(sealed);
    expect(verdict).toMatchObject({ result: 'valid', reason_code: null });
    expect(verdict.facts).toMatchObject({ affidavit_id: content.affidavit_id, outcome: 'passed' });
    expect(verdict.checks.map(({ name }) => name)).toEqual([
      'form',
      'signature',
      'timestamp',
      'chains',
      'attachment',
      'pages',
    ]);
  });

  it('renders to the same bytes from the same content, in any order of members', async () => {
    const once = await renderAffidavit(content);
    const claims = Object.fromEntries(Object.entries(content.subject.claims).toReversed());
    const again = await renderAffidavit({ ...content, subject: { ...content.subject, claims } });
    expect(Buffer.compare(once, again)).toBe(0);
  });

  it.each([
    ['Arabic', 'محمد بن عبد الله'],
    ['Cyrillic and Greek', 'Анна Ελένη'],
    ['Vietnamese', 'Nguyễn Thị Đặng'],
    ['CJK, of which no glyph is there', '李小龍'],
    ['control and direction characters', 'a\u0000b\u202ec\u2028d\r\ne'],
    ['a very long word', 'x'.repeat(2000)],
    ['emoji', '😀'],
  ])('takes a title in %s', async (_name, title) => {
    const pdf = await seal({ ...content, requester: { ...content.requester, title } });
    expect((await judge(pdf)).result).toBe('valid');
  });

  it('is indeterminate where its root is not trusted', async () => {
    const verdict = await verifyAffidavit(sealed, [], new Date());
    expect(verdict).toMatchObject({ result: 'indeterminate', reason_code: 'root_not_trusted' });
    const other = await newKeys('other');
    const foreign = await verifyAffidavit(sealed, [other.root.certificate], new Date());
    expect(foreign.result).toBe('indeterminate');
  });

  it('is called valid by pdfsig, where that is installed', async ({ skip }) => {
    const path = join(directory, 'affidavit.pdf');
    writeFileSync(path, sealed);
    let said = '';
    try {
      said = execFileSync('pdfsig', ['-nocert', path], { encoding: 'utf8' });
    } catch {
      skip('pdfsig (poppler-utils) is not installed');
    }
    expect(said).toContain('Signature is Valid.');
    expect(said).toContain('Total document signed');
    expect(said).toContain('ETSI.CAdES.detached');
  });
});

describe('a changed affidavit', () => {
  it('is never valid, whichever bit is flipped', async () => {
    const places = fc.sample(fc.integer({ min: 0, max: sealed.length - 1 }), {
      numRuns: 60,
      seed: 7,
    });
    for (const place of places) {
      const changed = Buffer.from(sealed);
      changed[place] = (changed[place] ?? 0) ^ (1 << (place % 8));
      expect((await judge(changed)).result, `byte ${place}`).not.toBe('valid');
    }
  });

  it('is never valid, wherever it is cut', async () => {
    for (const part of [0, 4, 100, 0.2, 0.5, 0.9, 0.999]) {
      const length = part > 1 || part === 0 ? part : Math.floor(sealed.length * part);
      expect((await judge(sealed.subarray(0, length))).result).toBe('invalid');
    }
  });

  it('is invalid with anything appended, a whole revision included', async () => {
    const appended = [Buffer.from('\n'), Buffer.from('%%EOF\n'), sealed];
    for (const more of appended) {
      expect((await judge(Buffer.concat([sealed, more]))).result).toBe('invalid');
    }
  });

  it('is invalid with bytes hidden in the padding of the seal', async () => {
    const text = sealed.toString('latin1');
    const end = text.indexOf('>', text.indexOf('/Contents <') + 20);
    const changed = Buffer.from(sealed);
    changed.write('41', end - 2, 'latin1');
    expect(await judge(changed)).toMatchObject({ result: 'invalid', reason_code: 'hidden_bytes' });
  });

  it('is invalid when the pages say something else than the attachment', async () => {
    const shown = Buffer.from(await renderAffidavit(content));
    const other = await renderAffidavit({
      ...content,
      decision: { ...content.decision, outcome: 'failed' },
    });
    expect(shown.equals(Buffer.from(other))).toBe(false);
    const painted = Buffer.from(shown);
    const place = painted.indexOf('/Rotate');
    if (place >= 0) painted.write('/Rotatf', place, 'latin1');
    const metadata = painted.indexOf('trustcheck');
    painted.write('trustchecc', metadata, 'latin1');
    const authority = createTimestampAuthority(keys.tsa, () => new Date(), randomBytes);
    const resealed = await sealAffidavit(painted, keys.seal, authority);
    expect((await judge(resealed)).reason_code).toBe('pages_differ');
  });

  it('is indeterminate or invalid when others’ keys have sealed or stamped it', async () => {
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

  it('gets a verdict however hostile the file is', async () => {
    const hostile = [
      Buffer.from('%PDF-1.7\n/ByteRange [0 0 0 0]'),
      Buffer.from(`%PDF-1.7 /ByteRange [0 10 16396 0] <${'f'.repeat(16_384)}>`),
      Buffer.alloc(100_000, 0x30),
      randomBytes(50_000),
      Buffer.from(`%PDF-${'['.repeat(100_000)}`),
    ];
    for (const file of hostile) expect((await judge(file)).result).toBe('invalid');
  });
});
