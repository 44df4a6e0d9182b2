import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { renderAffidavit } from '../../../../activities/affidavit/render.ts';
import { verifyAffidavit } from '../../../../activities/affidavit/verify.ts';
import { createDevPki } from '../../../../activities/keys/changes/dev-pki.ts';
import { loadKeys, type PlatformKeys } from '../../../../activities/keys/directory/load-keys.ts';
import { verifyLogProofBytes } from '../../../../cli/verify/log-proof.ts';
import { archiveAffidavit, unique } from '../../../../domain/pdf/signature/archive.ts';
import { sealAffidavit } from '../../../../domain/pdf/signature/seal.ts';
import { createTimestampAuthority } from '../../../../domain/pki/timestamps/sign-token.ts';
import { signLogCheckpoint } from '../../../../domain/transparency/checkpoint.ts';
import { entryOf } from '../../../../domain/transparency/entry.ts';
import { createLogSigner } from '../../../../domain/transparency/log-signer.ts';
import { leafHash } from '../../../../domain/transparency/merkle.ts';
import { encodeProof } from '../../../../domain/transparency/proof-file.ts';
import { listOf, listsOfToday, rootListOf } from '../../../support/fixtures/affidavits/archives.ts';
import { lightContent } from '../../../support/fixtures/affidavits/contents.ts';

const directory = mkdtempSync(join(tmpdir(), 'trustcheck-in-force-'));
let keys: PlatformKeys;
let rendered: Uint8Array;
beforeAll(async () => {
  await createDevPki(directory, { now: new Date(), baseUrl: 'http://127.0.0.1:8080' });
  keys = loadKeys(directory);
  rendered = await renderAffidavit(lightContent);
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const stampsAt = (at: Date) => createTimestampAuthority(keys.tsa, () => at, randomBytes);

it('an affidavit is valid until the certificate of its time stamp expires', async () => {
  const sealed = await sealAffidavit(rendered, keys.seal, stampsAt(new Date()));
  const judge = (ms: number) => verifyAffidavit(sealed, [keys.root.certificate], new Date(ms));
  const endsMs = Date.parse(keys.tsa.certificate.validTo);
  // The certificate of the seal may expire earlier: the stamp proves that it was valid when used.
  expect(Date.parse(keys.seal.certificate.validTo)).toBeLessThan(endsMs);
  const before = await judge(endsMs - 1);
  // Within its years only the current CRLs are missing.
  expect(before.checks.filter(({ result }) => result === 'failed')).toEqual([
    { name: 'standing', result: 'failed', detail: 'revocation_unknown' },
  ]);
  const after = await judge(endsMs);
  expect(after).toMatchObject({ result: 'indeterminate', reason_code: 'timestamp_expired' });
  expect(after.checks.filter(({ result }) => result === 'failed')).toEqual([
    { name: 'in_force', result: 'failed', detail: 'timestamp_expired' },
    { name: 'standing', result: 'failed', detail: 'revocation_unknown' },
  ]);
  // The root is trusted; the earlier check explains why there is no verdict.
  const early = await judge(Date.parse('2020-01-01T00:00:00Z'));
  expect(early.reason_code).toBe('timestamp_in_future');
  expect(early.checks.find(({ name }) => name === 'in_force')).toEqual({
    name: 'in_force',
    result: 'skipped',
    detail: 'not checked, because an earlier check failed',
  });
});

describe('an affidavit without a time stamp', () => {
  const minuteMs = 60_000;
  const sealedBare = () =>
    sealAffidavit(rendered, keys.seal, { stamp: async () => Promise.resolve(null) });
  const judge = (pdf: Uint8Array, ms: number) =>
    verifyAffidavit(pdf, [keys.root.certificate], new Date(ms));

  it('is valid as PAdES B-B while the certificate of its seal is in force', async () => {
    const pdf = await sealedBare();
    const endsMs = keys.seal.certificate.validToDate.getTime();
    const verdict = await judge(pdf, endsMs - 1);
    expect(verdict).toMatchObject({ facts: { pades_level: 'PAdES-B-B' } });
    expect(verdict.checks.filter(({ result }) => result === 'failed')).toEqual([
      { name: 'standing', result: 'failed', detail: 'revocation_unknown' },
    ]);
    const [root, lists] = [[keys.root.certificate], await listsOfToday(keys)];
    const today = await verifyAffidavit(pdf, root, new Date(), { lists });
    expect(today).toMatchObject({ result: 'valid', facts: { pades_level: 'PAdES-B-B' } });
    expect(verdict.facts.sealed_at).toBeUndefined();
    expect(verdict.checks.filter(({ result }) => result === 'skipped')).toEqual([
      { name: 'timestamp', result: 'skipped', detail: expect.stringContaining('PAdES-B-B') },
      ...['document_timestamp', 'revocation', 'revisions'].map((name) => ({
        name,
        result: 'skipped',
        detail: 'the file ends with its seal and has no archive data',
      })),
    ]);
    for (const ms of [endsMs + 1000, Date.parse('2020-01-01T00:00:00Z')]) {
      const outside = { result: 'indeterminate', reason_code: 'timestamp_missing' };
      expect(await judge(pdf, ms)).toMatchObject(outside);
    }
    const foreign = await verifyAffidavit(pdf, [], new Date());
    expect(foreign).toMatchObject({ result: 'indeterminate', reason_code: 'root_not_trusted' });
  });

  it('takes its sealing time from the first time stamp over the whole file', async () => {
    const data = {
      certificates: unique([...keys.seal.certificateChain, ...keys.tsa.certificateChain]),
      crls: [await listOf(keys), rootListOf(keys)],
    };
    const at = new Date(Math.floor(Date.now() / 1000) * 1000);
    const pdf = await archiveAffidavit(await sealedBare(), data, stampsAt(at));
    const endsMs = keys.tsa.certificate.validToDate.getTime();
    expect(await judge(pdf, endsMs - 1)).toMatchObject({
      result: 'valid',
      facts: { pades_level: 'PAdES-B-LTA', sealed_at: at.toISOString() },
    });
    expect(await judge(pdf, endsMs)).toMatchObject({ reason_code: 'timestamp_expired' });
    const soon = await judge(pdf, at.getTime() - minuteMs);
    expect(soon).toMatchObject({ reason_code: 'timestamp_in_future' });
    // Stamped before the certificate of the seal was valid, whatever the date is today.
    const before = new Date(keys.seal.certificate.validFromDate.getTime() - minuteMs);
    const early = await archiveAffidavit(await sealedBare(), data, stampsAt(before));
    expect(await judge(early, Date.now())).toMatchObject({ result: 'invalid' });
  });

  describe('with a proof of the public log', () => {
    const logSigner = createLogSigner(Buffer.alloc(32, 1), 'log.example');
    const trust = { log: logSigner.key, witnesses: [], known: null, tiles: null };
    const loggedAt = new Date(Date.now() - 3600_000);
    const at = new Date(Math.floor(Date.now() / 1000) * 1000);
    let bare: Buffer;
    let archived: Buffer;
    let entry: string;

    beforeAll(async () => {
      bare = await sealedBare();
      const data = {
        certificates: unique([...keys.seal.certificateChain, ...keys.tsa.certificateChain]),
        crls: [await listOf(keys), rootListOf(keys)],
      };
      archived = await archiveAffidavit(bare, data, stampsAt(at));
      const sha256 = createHash('sha256').update(bare).digest('hex');
      entry = entryOf({ affidavit_id: lightContent.affidavit_id, sha256, sealed_at: loggedAt });
    });

    /** Verifies a file with a log of only this entry; the proof contains `extra`. */
    async function held(file: Buffer, extra: string | null = entry) {
      const checkpoint = await signLogCheckpoint(logSigner, { size: 1, root: leafHash(entry) });
      const told = extra === null ? {} : { extra: Buffer.from(extra) };
      const proof = encodeProof({ index: 0, path: [], checkpoint, ...told });
      const verdict = await judge(file, at.getTime() + minuteMs);
      const { facts, ...rest } = await verifyLogProofBytes(verdict, Buffer.from(proof), trust);
      const { result, detail } = rest.checks.at(-1) ?? {};
      return [rest.reason_code, result, detail, facts.logged_at];
    }

    it('gets its logging time from the proof, also after it was archived', async () => {
      const logged = loggedAt.toISOString();
      expect(await held(bare)).toEqual(['revocation_unknown', 'ok', undefined, logged]);
      expect(await held(archived)).toEqual([null, 'ok', undefined, logged]);
    });

    it.each<[string, string | null]>([
      ['nothing', null],
      ['no entry', 'sealed_at'],
      ['an entry without a time', '{"v":1}'],
      ['an invalid time', '{"sealed_at":"soon"}'],
      ['a number', '{"sealed_at":1}'],
      ['null', 'null'],
      ['a deep nest', '['.repeat(30_000)],
    ])('gets no logging time from a proof with %s', async (_what, extra) => {
      const detail = expect.stringContaining('the seal has no time stamp');
      const unasked = ['log_entry_missing', 'skipped', detail, undefined];
      expect(await held(archived, extra)).toEqual(unasked);
    });

    it('is rejected with another time, another file or another log', async () => {
      const other = JSON.stringify({ sealed_at: new Date(0).toISOString() });
      const refused = ['log_inclusion', 'failed', 'log_inclusion', undefined];
      expect(await held(archived, other)).toEqual(refused);
      expect(await held(await sealedBare())).toEqual(refused);
      const by = createLogSigner(Buffer.alloc(32, 2), 'other.example');
      const checkpoint = await signLogCheckpoint(by, { size: 1, root: leafHash(entry) });
      const proof = Buffer.from(encodeProof({ index: 0, path: [], checkpoint }));
      const verdict = await judge(archived, at.getTime() + minuteMs);
      expect(await verifyLogProofBytes(verdict, proof, trust)).toMatchObject({
        result: 'invalid',
        reason_code: 'log_foreign',
      });
    });

    it('ignores the time of the log entry when its seal has a time stamp', async () => {
      const stamped = await sealAffidavit(rendered, keys.seal, stampsAt(at));
      const sha256 = createHash('sha256').update(stamped).digest('hex');
      entry = entryOf({ affidavit_id: lightContent.affidavit_id, sha256, sealed_at: loggedAt });
      const refused = ['log_inclusion', 'failed', 'log_inclusion', undefined];
      expect(await held(stamped)).toEqual(refused);
    });
  });

  it('is still judged by its seal: changed content is not valid', async () => {
    const pdf = await sealedBare();
    const last = pdf.lastIndexOf('0000000000 65535');
    pdf.write('1', last < 0 ? 100 : last);
    expect(await judge(pdf, Date.now())).toMatchObject({ reason_code: 'content_changed' });
  });
});
