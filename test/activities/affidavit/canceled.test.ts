import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CancelledFailure } from '@temporalio/common';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type AffidavitDeps,
  createAffidavitActivities,
} from '../../../activities/affidavit/activities.ts';
import { loadKeys } from '../../../activities/keys/directory/load-keys.ts';
import { createDiskStore } from '../../../activities/storage/disk.ts';
import { transaction } from '../../../db/client.ts';
import { randomIds } from '../../../db/ids.ts';
import { doneHere } from '../../../workers/threads/heavy-work.ts';
import { createThreads } from '../../../workers/threads/pool.ts';
import { passedSession, withAffidavit } from '../../support/http/client.ts';
import { openTestDb } from '../../support/platform/harness.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';
import { ownSealer } from '../../support/keys/own-sealer.ts';
import { ownStamps } from '../../support/keys/own-stamps.ts';
import { activityEnvironment } from '../../support/checks/activity-environment.ts';
import { startSilentServer } from '../../support/stand-ins/silent-server.ts';
import { namedIn } from '../../support/fixtures/affidavits/named-in.ts';

const { baseUrl, databaseUrl, dataDir, own } = ownPlatform();
const keys = loadKeys(join(dataDir, 'keys'));
const db = openTestDb(databaseUrl);
const clock = (): Date => new Date();
let folder = '';
const logged: unknown[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'canceled-'));
});
afterAll(async () => {
  await db.end();
  await rm(folder, { recursive: true, force: true });
});

/** Plans an affidavit that no worker issues, and returns the object key of its file. */
async function planned() {
  const session = await passedSession();
  await withAffidavit(session);
  const id = randomIds.make('aff');
  await transaction(db, async (tx) => {
    await tx.query(
      `UPDATE trust_checks SET affidavit_status = 'pending', affidavit_id = $2
       WHERE link_session_id = $1`,
      [session.id, id],
    );
    await tx.query(
      `UPDATE affidavits SET affidavit_id = $2, status = 'signing', content_sealed = NULL,
         affidavit_key = NULL, sha256 = NULL WHERE link_session_id = $1`,
      [session.id, id],
    );
  });
  return { id, key: `affidavits/${own.account_id}/${session.id}/${id}/v1.pdf` };
}

function activities(change: Partial<AffidavitDeps> = {}) {
  const secret = () => Buffer.alloc(32);
  const store = createDiskStore({ directory: folder, baseUrl, secret, clock });
  const note = (...words: unknown[]): void => void logged.push(words);
  const made = createAffidavitActivities({
    db,
    ids: randomIds,
    sealer: ownSealer(db),
    store,
    keys,
    stamps: ownStamps(keys, { log: { warn: note, error: note } }),
    heavy: doneHere,
    clock,
    baseUrl,
    log: { warn: note, error: note },
    ...namedIn(keys, baseUrl),
    countFailure: () => undefined,
    ...change,
  });
  return { store, ...made };
}

describe('canceled sealing of an affidavit', () => {
  it('frees the rendering thread, and the next attempt issues the affidavit', async () => {
    const entry = new URL('../../workers/threads/ending-thread.ts', import.meta.url);
    const threads = createThreads({ threadsMax: 1, onBroken: () => undefined, entry });
    const begun = Promise.withResolvers<void>();
    const renderAffidavit: typeof doneHere.renderAffidavit = (content) => {
      const endless = threads.renderAffidavit({ ...content, title: 'spins' });
      begun.resolve();
      return endless;
    };
    await threads.ready();
    const { id, key } = await planned();
    const environment = activityEnvironment();
    const { store, issueAffidavit } = activities({ heavy: { ...doneHere, renderAffidavit } });
    const running = environment.run(() => issueAffidavit({ affidavit_id: id }));
    await begun.promise;
    environment.cancel();
    await expect(running).rejects.toBeInstanceOf(CancelledFailure);
    await threads.ready();
    await threads.stop();
    expect(await store.get(key)).toBeNull();
    expect(logged).toEqual([]);
    const next = activityEnvironment({ attempt: 2 });
    const issued = await next.run(() => activities().issueAffidavit({ affidavit_id: id }));
    expect(issued).toMatchObject({ affidavit_id: id, pades_level: 'PAdES-B-LTA' });
    expect(await store.get(key)).not.toBeNull();
  });

  it('closes the time stamp request, and stores no affidavit without a time stamp', async () => {
    const silent = await startSilentServer();
    const rootsOf = { roots: [keys.root.certificate], timeoutMs: 600_000 };
    const authority = { url: silent.url, ...rootsOf, policy: null, credentials: null };
    const note = (...words: unknown[]): void => void logged.push(words);
    const stamps = ownStamps(keys, {
      authorities: [authority],
      log: { warn: note, error: note },
    });
    const { id, key } = await planned();
    const environment = activityEnvironment();
    const { store, issueAffidavit } = activities({ stamps });
    const running = environment.run(() => issueAffidavit({ affidavit_id: id }));
    await silent.connected;
    environment.cancel();
    await expect(running).rejects.toBeInstanceOf(CancelledFailure);
    await silent.closed;
    await silent.stop();
    expect(await store.get(key)).toBeNull();
    expect(logged).toEqual([]);
  });
});
