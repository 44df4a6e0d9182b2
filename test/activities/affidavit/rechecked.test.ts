import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { RenewalDeps } from '../../../activities/affidavit/activities.ts';
import { renderAffidavit } from '../../../activities/affidavit/render.ts';
import { createRenewalActivities } from '../../../activities/affidavit/renew-due.ts';
import { validationDataOf } from '../../../activities/affidavit/validation-data.ts';
import { verifyAffidavit } from '../../../activities/affidavit/verify.ts';
import { createDevPki } from '../../../activities/keys/changes/dev-pki.ts';
import { loadKeys } from '../../../activities/keys/directory/load-keys.ts';
import { createDiskStore } from '../../../activities/storage/disk.ts';
import type { ObjectStore } from '../../../activities/storage/object-store.ts';
import { compromise, publish, revoke, rotate } from '../../../cli/keys/change-keys.ts';
import { recheckAffidavits } from '../../../db/queries/renewals.ts';
import { archiveAffidavit } from '../../../domain/pdf/signature/archive.ts';
import { sealAffidavit } from '../../../domain/pdf/signature/seal.ts';
import { doneHere } from '../../../workers/threads/heavy-work.ts';
import { fromTheFirstDue } from '../../../workflows/archive-renewal/messages.ts';
import { on as dayOf } from '../../support/fixtures/affidavits/aged-keys.ts';
import { lightContent } from '../../support/fixtures/affidavits/contents.ts';
import {
  manifestIn,
  publishFile,
  type Kept,
} from '../../support/fixtures/affidavits/kept-files.ts';
import { ownStamps } from '../../support/keys/own-stamps.ts';
import { closeStage, stage, type Stage } from '../../support/races/stage.ts';

const baseUrl = 'http://127.0.0.1:8080';
let on: Stage;
let dataDir: string;
let store: ObjectStore;
let rendered: Uint8Array;
let now = dayOf('2026-11-23');
const clock = (): Date => now;
const place = () => join(dataDir, 'keys');

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'recheck-'));
  on = await stage();
  await createDevPki(place(), { now, baseUrl });
  const directory = join(dataDir, 'objects');
  await mkdir(directory);
  store = createDiskStore({ directory, baseUrl, secret: () => Buffer.alloc(32), clock });
  rendered = await renderAffidavit(lightContent);
});
afterAll(async () => {
  await closeStage();
  await rm(dataDir, { recursive: true, force: true });
});

/** Publishes an affidavit at the current time with the current keys, archived or as sealed. */
async function published(isArchived = true): Promise<Kept> {
  const keys = loadKeys(place());
  const stamps = ownStamps(keys, { clock });
  const sealed = await sealAffidavit(rendered, keys.seal, stamps);
  const data = isArchived ? await validationDataOf(on.db, keys, now) : null;
  const pdf = data && stamps.own ? await archiveAffidavit(sealed, data, stamps.own) : sealed;
  const kept = await publishFile({ on, store, keys, now }, pdf);
  const recheck = await stateOf(kept);
  expect(recheck['recheck_since']).toBeNull();
  return kept;
}

const stateOf = async ({ id }: Kept): Promise<Record<string, unknown>> => {
  const { rows } = await on.db.query<Record<string, unknown>>(
    `SELECT version, renewal_reason, recheck_since, renew_at > $2 AS comes_again
     FROM affidavits WHERE affidavit_id = $1`,
    [id, now],
  );
  return rows[0] ?? {};
};

/** Marks a key as stolen, and runs a round that judges the dependent affidavits again. */
async function stolen(name: string, since: string, at: string) {
  now = dayOf(at);
  const given = { dataDir, baseUrl, account: String(on.own.account_id), name };
  await compromise(on.db, { ...given, since: `${since}T00:00:00Z` }, now);
  return round();
}

async function round(change: Partial<RenewalDeps> = {}, keys = loadKeys(place())) {
  const log = { warn: () => undefined, error: () => undefined };
  const stamps = ownStamps(keys, { clock });
  const deps = { db: on.db, store, keys, stamps, heavy: doneHere, clock, log, ...change };
  const step = await createRenewalActivities(deps).renewDueArchives(fromTheFirstDue);
  const { renewed, waiting, failed } = step;
  return { renewed, waiting, failed };
}

const settled = { version: 1, renewal_reason: null, recheck_since: null, comes_again: true };
const spoiled = () => ({
  version: 1,
  renewal_reason: 'revoked',
  recheck_since: now,
  comes_again: null,
});

it('a stolen seal key has earlier affidavits archived again, and later ones reported', async () => {
  const [before, bare] = [await published(), await published(false)];
  await on.db.query('UPDATE affidavits SET renew_at = NULL WHERE affidavit_id = $1', [bare.id]);
  now = dayOf('2026-12-10');
  const after = await published();
  expect(await stolen('seal', '2026-12-01', '2026-12-12')).toEqual({
    renewed: 1,
    waiting: 0,
    failed: 1,
  });
  expect(await stateOf(before)).toEqual({ ...settled, version: 2 });
  expect(await stateOf(after)).toEqual(spoiled());
  // Its own time stamp proves it, but only with the CRLs of that day.
  expect(await stateOf(bare)).toMatchObject({ version: 1, renewal_reason: 'seal_listed' });
  const { root } = loadKeys(place());
  const pdf = (await store.get(before.keyOf(2))) ?? Buffer.of();
  const verdict = await verifyAffidavit(pdf, [root.certificate], dayOf('2027-01-01'));
  expect(verdict).toMatchObject({ result: 'valid', facts: { archived_at: now.toISOString() } });
  expect(await manifestIn(on.db, before)).toMatchObject({ told: verdict.facts.sha256 });
  // A later scheduled round changes nothing.
  expect(await round()).toEqual({ renewed: 0, waiting: 0, failed: 0 });
});

it('a theft found while a file is being archived stays to be checked', async () => {
  const kept = await published(false);
  now = new Date('2026-12-12T12:00:00Z');
  const { kid } = loadKeys(place()).seal;
  const found = {
    ...store,
    put: async (object: Parameters<ObjectStore['put']>[0]) => {
      await recheckAffidavits(on.db, now, kid);
      return store.put(object);
    },
  };
  expect(await round({ store: found })).toEqual({ renewed: 0, waiting: 0, failed: 0 });
  expect(await stateOf(kept)).toMatchObject({ version: 1, recheck_since: now });
  expect(await round()).toMatchObject({ renewed: 1 });
  expect(await stateOf(kept)).toEqual({ ...settled, version: 2 });
});

it('a theft found while a renewal fails makes the file due at once', async () => {
  const kept = await published(false);
  now = new Date('2026-12-12T13:00:00Z');
  const { kid } = loadKeys(place()).seal;
  const found = {
    ...store,
    get: async () => {
      await recheckAffidavits(on.db, now, kid);
      return null;
    },
  };
  expect(await round({ store: found })).toMatchObject({ failed: 1 });
  const due = { renewal_reason: null, recheck_since: now, comes_again: false };
  expect(await stateOf(kept)).toMatchObject(due);
  await on.db.query(`UPDATE affidavits SET status = 'failed'`);
});

it('a theft of an already rotated seal key is found by its serial', async () => {
  const given = { dataDir, baseUrl, account: String(on.own.account_id) };
  const early = await published();
  const { serialNumber } = loadKeys(place()).seal.certificate;
  now = new Date('2026-12-12T15:00:00Z');
  const late = await published();
  // Rotates all keys but the root. The CA of that seal signs CRLs as long as its key is kept.
  await publish(on.db, { ...given, name: 'services-ca' }, now);
  now = new Date('2026-12-12T15:30:00Z');
  await rotate(on.db, { ...given, name: 'services-ca' }, now);
  now = new Date('2026-12-12T16:00:00Z');
  const stolenKey = { ...given, serial: serialNumber, reason: 'compromised' };
  const wrong = revoke(
    on.db,
    { ...stolenKey, reason: 'superseded', since: now.toISOString() },
    now,
  );
  await expect(wrong).rejects.toThrow('--since: goes with compromised alone');
  await revoke(on.db, { ...stolenKey, since: '2026-12-12T14:00:00Z' }, now);
  expect(await round()).toEqual({ renewed: 1, waiting: 0, failed: 1 });
  expect(await stateOf(early)).toEqual({ ...settled, version: 2 });
  expect(await stateOf(late)).toEqual(spoiled());

  // No last time stamp is under the old CA now, whose key is destroyed. Then a newer key is stolen.
  const gone = `UPDATE affidavits SET status = 'failed' WHERE affidavit_id = $1`;
  await on.db.query(gone, [late.id]);
  const retired = join(place(), 'retired');
  const kept = (await readdir(retired)).filter((name) => name.endsWith('.key.pem'));
  await Promise.all(kept.map((name) => rm(join(retired, name))));
  await rotate(on.db, { ...given, name: 'tsa' }, now);
  const before = loadKeys(place());
  now = new Date('2026-12-12T17:00:00Z');
  await compromise(on.db, { ...given, name: 'tsa', since: now.toISOString() }, now);
  // A worker with outdated keys decides nothing.
  expect(await round({}, before)).toEqual({ renewed: 0, waiting: 1, failed: 0 });
  expect(await stateOf(early)).toMatchObject({
    renewal_reason: 'keys_outdated',
    recheck_since: now,
  });
  await on.db.query('UPDATE affidavits SET renew_at = $1 WHERE renew_at IS NOT NULL', [now]);
  expect(await round()).toEqual({ renewed: 0, waiting: 0, failed: 0 });
  expect(await stateOf(early)).toEqual({ ...settled, version: 2 });
  await on.db.query(`UPDATE affidavits SET status = 'failed'`);
});

it('a stolen time stamp key has its affidavits reported, and those of other keys not', async () => {
  now = dayOf('2026-12-13');
  const early = await published();
  const given = { dataDir, baseUrl, account: String(on.own.account_id), name: 'tsa' };
  await rotate(on.db, given, now);
  now = dayOf('2026-12-14');
  const late = await published();
  await on.db.query(`UPDATE affidavits SET status = 'failed' WHERE affidavit_id <> ALL ($1)`, [
    [early.id, late.id],
  ]);
  expect(await stolen('tsa', '2026-12-20', '2026-12-21')).toEqual({
    renewed: 0,
    waiting: 0,
    failed: 1,
  });
  expect(await stateOf(early)).toEqual(settled);
  expect(await stateOf(late)).toEqual(spoiled());
  // A stolen CA key affects all certificates of the CA.
  expect(await stolen('services-ca', '2026-12-22', '2026-12-23')).toMatchObject({ failed: 2 });
  expect([await stateOf(early), await stateOf(late)]).toEqual([spoiled(), spoiled()]);
});
