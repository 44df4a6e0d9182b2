import { createHash, randomBytes, X509Certificate } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import canonicalize from 'canonicalize';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAffidavitActivities } from '../../../activities/affidavit/activities.ts';
import { renewArchive } from '../../../activities/affidavit/renew.ts';
import { verifyAffidavit } from '../../../activities/affidavit/verify.ts';
import { issueKey } from '../../../activities/keys/changes/issue-key.ts';
import { loadKeys } from '../../../activities/keys/directory/load-keys.ts';
import { recordOwnTimestamps } from '../../../activities/keys/timestamps/record-own-timestamps.ts';
import type { StampsDeps } from '../../../activities/keys/timestamps/stamps.ts';
import { rendererId } from '../../../activities/pdf/renderer-id.ts';
import { createDiskStore } from '../../../activities/storage/disk.ts';
import { randomIds } from '../../../db/ids.ts';
import { revokeBySerial } from '../../../db/queries/certificates.ts';
import { accountOwner } from '../../../db/sealing/sealed.ts';
import { affidavitContent, type AffidavitContent } from '../../../domain/affidavit/content.ts';
import {
  digestAround,
  contentsIn,
  signedRangesOf,
} from '../../../domain/affidavit/verify/signed-range.ts';
import { sealAffidavit } from '../../../domain/pdf/signature/seal.ts';
import { readCms } from '../../../domain/pki/cms/read-cms.ts';
import { createTimestampAuthority } from '../../../domain/pki/timestamps/sign-token.ts';
import { doneHere } from '../../../workers/threads/heavy-work.ts';
import { foreignPages } from '../../support/fixtures/affidavits/foreign-pages.ts';
import { namedIn } from '../../support/fixtures/affidavits/named-in.ts';
import { passedSession, withAffidavit } from '../../support/http/client.ts';
import { ownSealer } from '../../support/keys/own-sealer.ts';
import { ownStamps } from '../../support/keys/own-stamps.ts';
import { openTestDb } from '../../support/platform/harness.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';
import { startTimestampAuthority } from '../../support/stand-ins/keys/timestamp-authority.ts';

const { baseUrl, databaseUrl, dataDir, own } = ownPlatform();
const keys = loadKeys(join(dataDir, 'keys'));
const db = openTestDb(databaseUrl);
const sealer = ownSealer(db);
const owner = accountOwner(own.account_id);
const clock = (): Date => new Date();
let folder = '';

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'upgrade-'));
});
afterAll(async () => {
  await db.end();
  await rm(folder, { recursive: true, force: true });
});

const sha256 = (bytes: string | Uint8Array): string =>
  createHash('sha256').update(bytes).digest('hex');

/** Creates an affidavit that an earlier build stopped issuing after it froze the content. */
async function interrupted(change: (content: AffidavitContent) => Record<string, unknown>) {
  const session = await passedSession();
  const { body } = await withAffidavit(session);
  const id = String(Object(body['affidavit']).affidavit_id);
  const context = `affidavits|content|${id}`;
  const { rows } = await db.query<{ content_sealed: Buffer }>(
    'SELECT content_sealed FROM affidavits WHERE affidavit_id = $1',
    [id],
  );
  const opened = await sealer.open(owner, context, rows[0]?.content_sealed ?? Buffer.alloc(0));
  const content = change(affidavitContent.parse(JSON.parse(opened.toString())));
  const json = canonicalize(content) ?? '';
  await db.query(
    `UPDATE affidavits SET status = 'signing', content_sealed = $2, affidavit_key = NULL,
       sha256 = NULL, base_sha256 = NULL, json_sha256 = NULL WHERE affidavit_id = $1`,
    [id, await sealer.seal(owner, context, json)],
  );
  const key = `affidavits/${own.account_id}/${session.id}/${id}/v1.pdf`;
  return { id, key, json };
}

function build(change: Partial<StampsDeps> = {}, under = keys) {
  const store = createDiskStore({
    directory: folder,
    baseUrl,
    secret: () => Buffer.alloc(32),
    clock,
  });
  const log = { warn: () => undefined, error: () => undefined };
  const common = { db, ids: randomIds, sealer, store, keys: under, clock, baseUrl, log };
  const stamps = ownStamps(under, { keep: recordOwnTimestamps(db, under.tsa), ...change });
  const rest = {
    heavy: doneHere,
    stamps,
    ...namedIn(under, baseUrl),
    countFailure: () => undefined,
  };
  return { store, ...createAffidavitActivities({ ...common, ...rest }) };
}

/** The imprints of both time stamps: over the value of the seal, and over the whole file. */
function imprintsOf(file: Uint8Array): Buffer[] {
  const pdf = Buffer.from(file);
  const ranges = signedRangesOf(pdf);
  const cms = ranges && contentsIn(pdf, ranges.hole);
  const [archive] = ranges?.archives ?? [];
  if (!cms || !archive) throw new Error('no archived file');
  const signature = createHash('sha256').update(readCms(cms).signature).digest();
  return [signature, digestAround(pdf, archive.hole, pdf.length)];
}

async function manifestOf(id: string): Promise<unknown> {
  const { rows } = await db.query(
    `SELECT affidavit_key, version, sha256, base_sha256, json_sha256, size_bytes,
       development, seal_kid FROM affidavits WHERE affidavit_id = $1`,
    [id],
  );
  return rows[0];
}

const byAnotherRenderer = (content: AffidavitContent): AffidavitContent => ({
  ...content,
  renderer: 'trustcheck-pages/4 0123456789abcdef',
});

describe('an affidavit begun by another build', () => {
  it('is published as it is when already sealed, without a second file', async () => {
    const { id, key, json } = await interrupted(byAnotherRenderer);
    const pages = await foreignPages(json);
    const authority = createTimestampAuthority(keys.tsa, clock, randomBytes);
    const body = await sealAffidavit(pages, keys.seal, authority);
    // The platform has another seal by now.
    const { store, issueAffidavit } = build({}, { ...keys, seal: keys.tokens });
    await store.put({ key, body, contentType: 'application/pdf' });
    const issued = await issueAffidavit({ affidavit_id: id });
    expect(issued.sha256).toBe(sha256(body));
    expect(await manifestOf(id)).toEqual({
      affidavit_key: key,
      version: 1,
      sha256: sha256(body),
      base_sha256: sha256(pages),
      json_sha256: sha256(json),
      size_bytes: body.length,
      development: true,
      seal_kid: keys.seal.kid,
    });
    expect(await store.get(key.replace('/v1.pdf', '/v2.pdf'))).toBeNull();
  });

  it('is made by this build when never sealed, with the name of this build', async () => {
    const { id, key } = await interrupted(byAnotherRenderer);
    const { store, issueAffidavit } = build();
    await issueAffidavit({ affidavit_id: id });
    const file = (await store.get(key)) ?? Buffer.alloc(0);
    const verdict = await verifyAffidavit(file, [keys.root.certificate], clock());
    expect(verdict).toMatchObject({
      result: 'valid',
      facts: { affidavit_id: id, renderer: rendererId },
    });
    expect(verdict.checks).toContainEqual({ name: 'pages', result: 'ok' });
    expect(await manifestOf(id)).toMatchObject({
      version: 1,
      json_sha256: verdict.facts.json_sha256,
    });
    const stamped = 'SELECT tsa_serial FROM timestamps WHERE imprint = ANY($1)';
    const { rows } = await db.query(stamped, [imprintsOf(file)]);
    const tsa_serial = keys.tsa.certificate.serialNumber.toLowerCase();
    expect(rows).toEqual([{ tsa_serial }, { tsa_serial }]);
  });
});

const asIs = (content: AffidavitContent) => content;

it('does not use a stored file of another affidavit', async () => {
  const [first, second] = [await interrupted(asIs), await interrupted(asIs)];
  const { store, issueAffidavit } = build();
  await issueAffidavit({ affidavit_id: first.id });
  const body = Buffer.from((await store.get(first.key)) ?? []);
  await store.put({ key: second.key, body, contentType: 'application/pdf' });
  await issueAffidavit({ affidavit_id: second.id });
  expect(await manifestOf(second.id)).toMatchObject({ version: 2 });
});

async function levelOf(id: string): Promise<unknown> {
  const { rows } = await db.query(
    'SELECT status, pades_level, sealed_at FROM affidavits WHERE affidavit_id = $1',
    [id],
  );
  return rows[0];
}

it('is published once as PAdES-B-B when no authority stamps it', async () => {
  const { id, key } = await interrupted(asIs);
  const { store, issueAffidavit } = build({ own: null });
  const issued = await issueAffidavit({ affidavit_id: id });
  expect(issued.pades_level).toBe('PAdES-B-B');
  const published = { status: 'available', pades_level: 'PAdES-B-B', sealed_at: expect.any(Date) };
  expect(await levelOf(id)).toEqual(published);
  // Simulates an end before publication: the stored file is used, whichever authority stamps now.
  await db.query(
    `UPDATE affidavits SET status = 'signing', sha256 = NULL WHERE affidavit_id = $1`,
    [id],
  );
  expect(await build().issueAffidavit({ affidavit_id: id })).toEqual(issued);
  expect(await store.get(key.replace('/v1.pdf', '/v2.pdf'))).toBeNull();
});

it('is archived later when no authority stamped it', async () => {
  const { id, key } = await interrupted(asIs);
  const { store, issueAffidavit } = build({ own: null });
  const { sha256: before } = await issueAffidavit({ affidavit_id: id });
  const rest = 'SELECT renew_at - available_at AS rest FROM affidavits WHERE affidavit_id = $1';
  const { rows } = await db.query(rest, [id]);
  expect(rows).toEqual([{ rest: expect.objectContaining({ minutes: expect.any(Number) }) }]);
  const due = `UPDATE affidavits SET renew_at = available_at
    WHERE affidavit_id = $1 RETURNING renewal_reason`;
  await db.query(due, [id]);
  const log = { warn: () => undefined, error: () => undefined };
  const renewing = (own: StampsDeps['own']) => {
    const stamps = ownStamps(keys, { keep: recordOwnTimestamps(db, keys.tsa), own });
    return renewArchive({ db, store, keys, stamps, heavy: doneHere, clock, log }, id);
  };
  expect(await renewing(null)).toBe('waiting');
  const { rows: waits } = await db.query(due, [id]);
  expect(waits).toEqual([{ renewal_reason: 'authority_missing' }]);
  // A theft that does not affect it causes one judgment, not one per missing time stamp.
  await db.query('UPDATE affidavits SET recheck_since = $2 WHERE affidavit_id = $1', [id, clock()]);
  expect(await renewing(null)).toBe('waiting');
  const { rows: judged } = await db.query(`${due}, recheck_since`, [id]);
  expect(judged).toEqual([{ renewal_reason: 'authority_missing', recheck_since: null }]);
  const bare = Buffer.from((await store.get(key)) ?? []);
  expect(await renewing(keys.tsa)).toBe('renewed');
  expect(await manifestOf(id)).toMatchObject({ version: 2 });
  const file = Buffer.from((await store.get(key.replace('/v1.pdf', '/v2.pdf'))) ?? []);
  expect(file.subarray(0, bare.length).equals(bare)).toBe(true);
  const verdict = await verifyAffidavit(file, [keys.root.certificate], clock());
  const { archived_at: archivedAt = '' } = verdict.facts;
  expect(verdict).toMatchObject({
    result: 'valid',
    facts: { pades_level: 'PAdES-B-LTA', sealed_at: archivedAt, earlier_sha256: [before] },
  });
});

it('is checked again when its seal was stolen before publication', async () => {
  const { id, key, json } = await interrupted(byAnotherRenderer);
  const { servicesCa } = keys;
  const common = { issuer: servicesCa, now: clock(), baseUrl, on: db };
  const { der, signer } = await issueKey({ ...common, role: 'seal', commonName: 'stolen seal' });
  const chain = [der, servicesCa.certificate.raw];
  const seal = { ...signer, algorithm: 'ES256', certificateChain: chain } as const;
  const authority = createTimestampAuthority(keys.tsa, clock, randomBytes);
  const { store, issueAffidavit } = build();
  const body = await sealAffidavit(await foreignPages(json), seal, authority);
  await store.put({ key, body, contentType: 'application/pdf' });
  const serial = new X509Certificate(der).serialNumber.toLowerCase();
  await revokeBySerial(db, serial, { at: clock(), reason: 'compromised' });
  const { sha256: made } = await issueAffidavit({ affidavit_id: id });
  expect(made).toBe(sha256(body));
  const { rows } = await db.query(
    `UPDATE affidavits f SET renew_at = NULL FROM affidavits b
     WHERE f.affidavit_id = $1 AND b.affidavit_id = f.affidavit_id
     RETURNING b.seal_kid, b.recheck_since = b.available_at AS is_marked,
       b.renew_at = b.available_at AS is_due`,
    [id],
  );
  expect(rows).toEqual([{ seal_kid: signer.kid, is_marked: true, is_due: true }]);
});

it('is B-LTA with a time stamp of an outside authority, verified by its root as well', async () => {
  const standIn = await startTimestampAuthority();
  try {
    const roots = [standIn.root.certificate];
    const { url } = standIn;
    const authority = { url, roots, timeoutMs: 60_000, policy: null, credentials: null };
    const { id, key } = await interrupted(asIs);
    const { store, issueAffidavit } = build({ authorities: [authority] });
    const issued = await issueAffidavit({ affidavit_id: id });
    expect(issued.pades_level).toBe('PAdES-B-LTA');
    const file = (await store.get(key)) ?? Buffer.alloc(0);
    const own = [keys.root.certificate];
    expect(await verifyAffidavit(file, own, clock(), { tsaRoots: roots })).toMatchObject({
      result: 'valid',
    });
    const without = await verifyAffidavit(file, own, clock());
    expect(without).toMatchObject({ reason_code: 'root_not_trusted' });
  } finally {
    await standIn.stop();
  }
});
