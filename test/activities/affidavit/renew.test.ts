import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CancelledFailure } from '@temporalio/common';
import type { RenewalDeps } from '../../../activities/affidavit/activities.ts';
import { renderAffidavit } from '../../../activities/affidavit/render.ts';
import { createRenewalActivities } from '../../../activities/affidavit/renew-due.ts';
import { validationDataOf } from '../../../activities/affidavit/validation-data.ts';
import { verifyAffidavit } from '../../../activities/affidavit/verify.ts';
import { createDevPki } from '../../../activities/keys/changes/dev-pki.ts';
import { renewRootCrl } from '../../../activities/keys/changes/renew-root-crl.ts';
import { loadKeys, type PlatformKeys } from '../../../activities/keys/directory/load-keys.ts';
import { createDiskStore } from '../../../activities/storage/disk.ts';
import type { ObjectStore } from '../../../activities/storage/object-store.ts';
import { publish, revoke, rotate } from '../../../cli/keys/change-keys.ts';
import { renewalTimeOf } from '../../../domain/affidavit/verify/renewal-time.ts';
import { archiveAffidavit } from '../../../domain/pdf/signature/archive.ts';
import { sealAffidavit } from '../../../domain/pdf/signature/seal.ts';
import { doneHere } from '../../../workers/threads/heavy-work.ts';
import { fromTheFirstDue } from '../../../workflows/archive-renewal/messages.ts';
import { abortedIn, activityEnvironment } from '../../support/checks/activity-environment.ts';
import { on as dayOf } from '../../support/fixtures/affidavits/aged-keys.ts';
import { lightContent } from '../../support/fixtures/affidavits/contents.ts';
import * as files from '../../support/fixtures/affidavits/kept-files.ts';
import { ownStamps } from '../../support/keys/own-stamps.ts';
import { closeStage, stage, type Stage } from '../../support/races/stage.ts';

const baseUrl = 'http://127.0.0.1:8080';
const issuedAt = dayOf('2026-11-23');
let on: Stage;
let dataDir: string;
let store: ObjectStore;
/** The current time of the tests. */
let now = issuedAt;
let keys: PlatformKeys;
/** An affidavit of 2026 as sealed, and as archived. */
let sealed: Buffer;
let archived: Buffer;
const logged: unknown[] = [];

const place = () => ({ directory: join(dataDir, 'keys') });
const clock = (): Date => now;

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'renew-'));
  on = await stage();
  await createDevPki(place().directory, { now, baseUrl });
  keys = loadKeys(place());
  const directory = join(dataDir, 'objects');
  await mkdir(directory);
  store = createDiskStore({ directory, baseUrl, secret: () => Buffer.alloc(32), clock });
  const stamps = ownStamps(keys, { clock });
  if (!stamps.own) throw new Error('no authority');
  sealed = await sealAffidavit(await renderAffidavit(lightContent), keys.seal, stamps);
  const data = await validationDataOf(on.db, keys, now);
  archived = await archiveAffidavit(sealed, data ?? expect.fail('no lists'), stamps.own);
});
afterAll(async () => {
  await closeStage();
  await rm(dataDir, { recursive: true, force: true });
});

const published = (pdf: Buffer): Promise<files.Kept> =>
  files.publishFile({ on, store, keys, now }, pdf);
const manifestOf = (kept: files.Kept) => files.manifestIn(on.db, kept);

function deps(change: Partial<RenewalDeps> = {}): RenewalDeps {
  const log = { warn: () => undefined, error: (told: unknown) => void logged.push(told) };
  const stamps = ownStamps(keys, { clock });
  return { db: on.db, store, keys, stamps, heavy: doneHere, clock, log, ...change };
}

/** Runs a renewal round at an instant, and returns its counts. */
async function round(at: Date, change: Partial<RenewalDeps> = {}) {
  now = at;
  const { renewDueArchives } = createRenewalActivities(deps(change));
  const { after, ...counts } = await renewDueArchives(fromTheFirstDue);
  expect(await renewDueArchives({ after })).toMatchObject({ renewed: 0, is_done: true });
  const { is_done: _isDone, ...told } = counts;
  return told;
}

const bytesAt = async (key: string): Promise<Buffer> => Buffer.from((await store.get(key)) ?? []);
const never = { renewed: 0, waiting: 0, failed: 0 };
const minutes = (count: number): Date => new Date(issuedAt.getTime() + count * 60_000);
/** Excludes the affidavit of this case from later rounds. */
const settle = ({ id }: files.Kept) =>
  on.db.query('UPDATE affidavits SET renew_at = NULL WHERE affidavit_id = $1', [id]);

/** Asserts that one file was renewed in store, manifest and session. */
async function expectRenewed(kept: files.Kept, before: Buffer, version = 2): Promise<void> {
  const pdf = await bytesAt(kept.keyOf(version));
  const { result, facts } = await verifyAffidavit(pdf, [keys.root.certificate], now);
  expect([result, facts.pades_level]).toEqual(['valid', 'PAdES-B-LTA']);
  expect(pdf.subarray(0, before.length).equals(before)).toBe(true);
  expect(await manifestOf(kept)).toEqual({
    version,
    affidavit_key: kept.keyOf(version),
    sha256: facts.sha256,
    size_bytes: pdf.length,
    pades_level: 'PAdES-B-LTA',
    renew_at: renewalTimeOf(facts, now),
    renewed_at: now,
    renewal_reason: null,
    told: facts.sha256,
  });
  expect(await store.get(kept.keyOf(version + 1))).toBeNull();
}

describe('an affidavit that was not archived', () => {
  it('is archived minutes later, once CRLs exist', async () => {
    const kept = await published(sealed);
    expect(await round(minutes(5))).toEqual(never);
    const noList = { ...keys, root: { ...keys.root, crl: null } };
    expect(await round(minutes(11), { keys: noList })).toEqual({ ...never, waiting: 1 });
    const waits = { version: 1, renewal_reason: 'lists_missing', renew_at: minutes(71) };
    expect(await manifestOf(kept)).toMatchObject(waits);
    expect(await round(minutes(72))).toEqual({ ...never, renewed: 1 });
    await expectRenewed(kept, sealed);
    expect((await bytesAt(kept.keyOf(1))).equals(sealed)).toBe(true);
    expect(await round(minutes(90))).toEqual(never);
  });

  it('is archived once by concurrent workers', async () => {
    const kept = await published(sealed);
    now = minutes(120);
    const some = [1, 2, 3].map(() => createRenewalActivities(deps()));
    const told = await Promise.all(some.map((each) => each.renewDueArchives(fromTheFirstDue)));
    expect(told.reduce((sum, { renewed }) => sum + renewed, 0)).toBe(1);
    await expectRenewed(kept, sealed);
  });

  it('is archived with the file that a killed worker stored', async () => {
    const kept = await published(sealed);
    const killed = {
      ...store,
      put: async (object: Parameters<ObjectStore['put']>[0]) => {
        await store.put(object);
        throw new Error('killed');
      },
      get: async (key: string) => (key.endsWith('v1.pdf') ? store.get(key) : null),
    };
    expect(await round(minutes(180), { store: killed })).toEqual({ ...never, failed: 1 });
    const left = await bytesAt(kept.keyOf(2));
    expect(await manifestOf(kept)).toMatchObject({ version: 1, renewal_reason: 'failed' });
    expect(await round(minutes(180 + 24 * 60))).toEqual({ ...never, renewed: 1 });
    await expectRenewed(kept, sealed);
    expect((await bytesAt(kept.keyOf(2))).equals(left)).toBe(true);
  });

  it('ignores a stored next version that is damaged or not archived', async () => {
    const kept = await published(sealed);
    const damaged = Buffer.from(archived);
    damaged[sealed.length + 40] = (damaged[sealed.length + 40] ?? 0) ^ 1;
    const type = { contentType: 'application/pdf' };
    await store.put({ key: kept.keyOf(2), body: damaged, ...type });
    // It verifies, but its proof does not last longer.
    await store.put({ key: kept.keyOf(3), body: sealed, ...type });
    expect(await round(minutes(2000))).toEqual({ ...never, renewed: 1 });
    await expectRenewed(kept, sealed, 4);
  });

  it('waits for its log entry, which is of the first file', async () => {
    const kept = await published(sealed);
    await on.db.query('UPDATE affidavits SET awaits_log_proof = true WHERE affidavit_id = $1', [
      kept.id,
    ]);
    expect(await round(minutes(3000))).toEqual(never);
    await settle(kept);
  });

  it('stays due when its renewal is canceled', async () => {
    await published(sealed);
    const environment = activityEnvironment();
    const heavy = { ...doneHere, verifyAffidavit: () => abortedIn(environment) };
    const canceled = environment.run(() => round(minutes(3500), { heavy }));
    await expect(canceled).rejects.toBeInstanceOf(CancelledFailure);
    expect(await round(now)).toEqual({ ...never, renewed: 1 });
  });

  it('is not renewed after its check was redacted', async () => {
    const kept = await published(sealed);
    await on.db.query('UPDATE trust_checks SET redacted_at = $2 WHERE link_session_id = $1', [
      kept.session,
      now,
    ]);
    expect(await round(minutes(4000))).toEqual(never);
    expect(await manifestOf(kept)).toMatchObject({ version: 1 });
    await settle(kept);
  });

  it('is given up when the certificate of its seal expired without a time stamp', async () => {
    const bare = await sealAffidavit(await renderAffidavit(lightContent), keys.seal, {
      stamp: async () => null,
    });
    const kept = await published(bare);
    expect((await manifestOf(kept))['renew_at']).toEqual(new Date(now.getTime() + 600_000));
    expect(await round(dayOf('2029-01-01'))).toEqual({ ...never, failed: 1 });
    const left = { version: 1, renew_at: null, renewal_reason: 'timestamp_missing' };
    expect(await manifestOf(kept)).toMatchObject(left);
  });

  it.each<[string, string, (pdf: Buffer) => Buffer | null]>([
    ['damaged', 'file_differs', (pdf) => pdf.fill(0, 500, 501)],
    ['another', 'file_differs', () => archived],
    ['gone', 'file_missing', () => null],
  ])(
    'is not archived from a file that is %s, and the operator is notified',
    async (_what, reason, change) => {
      const kept = await published(sealed);
      const body = change(Buffer.from(sealed));
      await store.remove(kept.keyOf(1));
      if (body) await store.put({ key: kept.keyOf(1), body, contentType: 'application/pdf' });
      logged.length = 0;
      const at = new Date(now.getTime() + 3600_000);
      expect(await round(at)).toEqual({ ...never, failed: 1 });
      expect(logged).toEqual([expect.objectContaining({ affidavit_id: kept.id })]);
      const left = await manifestOf(kept);
      expect(left).toMatchObject({ version: 1, renewal_reason: reason });
      expect(left['renew_at']).toEqual(new Date(at.getTime() + 24 * 3600_000));
      expect(await store.get(kept.keyOf(2))).toBeNull();
      await settle(kept);
    },
  );
});

describe('an affidavit of 2026 after key rotations', () => {
  const given = () => ({ dataDir, baseUrl, account: String(on.own.account_id) });
  const anchor = () => [keys.root.certificate];

  /** Moves the clock to a day, renews the CRL of the root, and reloads the keys. */
  async function reach(day: string): Promise<Date> {
    now = dayOf(day);
    await renewRootCrl(place(), now);
    keys = loadKeys(place());
    return now;
  }
  async function change(name: string): Promise<void> {
    await rotate(on.db, { ...given(), name }, now);
    keys = loadKeys(place());
  }

  it('is archived again before its time stamps expire, until its root expires', async () => {
    now = issuedAt;
    await on.db.query('UPDATE affidavits SET renew_at = NULL');
    const serial = keys.tsa.certificate.serialNumber.toLowerCase();
    const [kept, stolen] = [await published(archived), await published(archived)];
    // This one is examined too late.
    await on.db.query('UPDATE affidavits SET renew_at = $2 WHERE affidavit_id = $1', [
      stolen.id,
      dayOf('2038-07-01'),
    ]);
    for (const day of ['2028-11-20', '2034-11-20']) {
      await reach(day);
      await change('seal');
      if (day === '2034-11-20') await change('tsa');
      expect(await round(now)).toEqual(never);
    }
    expect(await round(await reach('2038-05-23'))).toEqual(never);
    await publish(on.db, { ...given(), name: 'services-ca' }, now);
    expect(await round(await reach('2038-06-01'))).toEqual({ ...never, waiting: 1 });
    expect(await manifestOf(kept)).toMatchObject({ renewal_reason: 'key_ends_too_soon' });
    await change('services-ca');
    expect(await round(new Date(now.getTime() + 2 * 3600_000))).toEqual({ ...never, renewed: 1 });
    await expectRenewed(kept, archived);
    const renewed = await bytesAt(kept.keyOf(2));
    for (const day of ['2038-11-22', '2042-01-01', '2046-11-15']) {
      const verdict = await verifyAffidavit(renewed, anchor(), dayOf(day));
      expect(verdict).toMatchObject({ result: 'valid' });
      expect(verdict.facts.earlier_sha256).toHaveLength(2);
    }
    // Without a renewal, nothing would prove it any more.
    const late = await verifyAffidavit(archived, anchor(), dayOf('2038-12-01'));
    expect(late).toMatchObject({ reason_code: 'timestamp_expired' });

    // The key of its time stamp is stolen, so that its stamps can have any date.
    await reach('2038-07-02');
    await on.db.query(`UPDATE affidavits SET status = 'failed' WHERE affidavit_id <> ALL ($1)`, [
      [kept.id, stolen.id],
    ]);
    const { account } = given();
    await revoke(on.db, { dataDir, account, serial, reason: 'compromised' }, now);
    logged.length = 0;
    expect(await round(now)).toEqual({ ...never, failed: 1 });
    const err = expect.objectContaining({ code: 'affidavit_invalid' });
    expect(logged).toEqual([{ err, affidavit_id: stolen.id }]);
    const spoiled = { version: 1, renewal_reason: 'revoked' };
    expect(await manifestOf(stolen)).toMatchObject(spoiled);
    await settle(stolen);

    await on.db.query('UPDATE affidavits SET renew_at = $2 WHERE affidavit_id = $1', [
      kept.id,
      dayOf('2046-05-27'),
    ]);
    expect(await round(await reach('2046-06-01'))).toEqual({ ...never, waiting: 1 });
    expect(await manifestOf(kept)).toMatchObject({ renewal_reason: 'key_ends_too_soon' });
  });
});
