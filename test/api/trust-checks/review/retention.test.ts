import { join } from 'node:path';
import type { Client } from '@temporalio/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openClaims } from '../../../../activities/proofs/evidence/evidence-repository.ts';
import { createEvidenceStore, evidenceKey } from '../../../../activities/proofs/evidence/store.ts';
import { createDiskStore } from '../../../../activities/storage/disk.ts';
import {
  createRetentionActivities,
  type Removed,
} from '../../../../activities/trust-checks/retention/activities.ts';
import type { Db } from '../../../../db/client.ts';
import { randomIds } from '../../../../db/ids.ts';
import { evidenceHashOf } from '../../../../domain/evidence/binding.ts';
import { readEvidenceFile } from '../../../../domain/judging/files.ts';
import { verifyAnyEvidence } from '../../../../domain/judging/verifiers.ts';
import { Failure } from '../../../../workflows/failures.ts';
import { fromTheFirstCheck, retentionId } from '../../../../workflows/retention/messages.ts';
import { claims, jpeg, photographed, sha256Of } from '../../../support/checks/photographed.ts';
import { call, pass, withAffidavit } from '../../../support/http/client.ts';
import { ownSealer } from '../../../support/keys/own-sealer.ts';
import { audited } from '../../../support/people/audited.ts';
import { anotherAccount, codeSession } from '../../../support/people/sms.ts';
import { eventually, openTestDb } from '../../../support/platform/harness.ts';
import { ownPlatform } from '../../../support/platform/own-platform.ts';
import { connectClient } from '../../../support/platform/temporal-client.ts';
import { uploaded, uploadTo } from '../submit/uploaded.ts';
import { CancelledFailure } from '@temporalio/common';
import { abortedIn, activityEnvironment } from '../../../support/checks/activity-environment.ts';

const { own, databaseUrl, dataDir, baseUrl } = ownPlatform();
const token = own.api_key;
const clock = (): Date => new Date();
const store = createDiskStore({
  directory: join(dataDir, 'objects'),
  baseUrl,
  secret: () => Buffer.alloc(32),
  clock,
});
let db: Db;
let client: Client;
const schedule = () => client.schedule.getHandle(retentionId);
// Pauses the schedule: these tests run the rounds themselves.
beforeAll(async () => {
  db = openTestDb(databaseUrl);
  client = await connectClient();
  await eventually('the schedule', () =>
    schedule()
      .pause()
      .then(
        () => true,
        () => false,
      ),
  );
});
afterAll(async () => {
  await schedule().unpause();
  await client.connection.close();
  await db.end();
});

const counted: (Removed | 'failed')[] = [];
const logged: unknown[] = [];

/** Runs a round in addition to those of the platform's schedule. Each due image is removed once. */
async function round(
  erase?: (id: string) => Promise<void>,
  health = () => store.health(),
): Promise<void> {
  const evidence = createEvidenceStore(store, ownSealer(db));
  const { removeDueImages } = createRetentionActivities({
    db,
    store: { ...store, health },
    evidence: erase ? { erase } : evidence,
    clock,
    log: { error: (told: unknown) => void logged.push(told) },
    count: (removed) => void counted.push(removed),
  });
  let step = await removeDueImages(fromTheFirstCheck);
  while (!step.is_done) step = await removeDueImages(step);
}

/** Backdates the end of a check by this interval. */
const ended = (id: string, ago: string): Promise<unknown> =>
  db.query(`UPDATE trust_checks SET decided_at = now() - $2::interval WHERE link_session_id = $1`, [
    id,
    ago,
  ]);
const objectOf = (id: string, evidenceId: string): Promise<Uint8Array | null> =>
  store.get(evidenceKey(id, evidenceId));
async function removals(id: string) {
  const rows = await audited(own);
  return rows.filter((row) => row.object_id === id && row.action === 'trust_check.images_removed');
}
const exported = async (id: string): Promise<string[]> => {
  const { text } = await call('GET', `/v2/trust-checks/${id}/evidence`, { token });
  return text.split('\n').filter((line) => line.includes('"kind":"document-image"'));
};

describe('images of a check', () => {
  it('are removed after the retention period with hashes in the audit log; all else remains', async () => {
    const { session, evidenceId, sha256 } = await uploaded();
    const { id } = session;
    await pass(session);
    const available = await withAffidavit(session);
    const { of, file, hashes } = await photographed(db, id);
    // A file without a row, as after an interrupted upload.
    const orphan = evidenceKey(id, randomIds.make('ev'));
    await store.put({ key: orphan, body: jpeg(), contentType: 'application/octet-stream' });
    await ended(id, '6 days 23 hours');
    await round();
    expect(await removals(id)).toEqual([]);
    expect(await objectOf(id, evidenceId)).not.toBeNull();
    expect(await exported(id)).toEqual([JSON.stringify(file)]);

    await ended(id, '7 days 1 minute');
    await Promise.all([round(), round()]);
    const [removal, ...more] = await removals(id);
    expect(more).toEqual([]);
    expect(removal).toMatchObject({ actor: 'retention' });
    const { images, ...told } = removal?.details ?? {};
    expect(told).toEqual({ days: 7, files: [sha256], photos: 0 });
    expect((images as string[]).toSorted()).toEqual(hashes);
    expect(await objectOf(id, evidenceId)).toBeNull();
    expect(await store.get(orphan)).toBeNull();

    const [line = ''] = await exported(id);
    const rest = JSON.parse(line);
    expect(rest.input).toEqual({});
    expect(rest.removed).toMatchObject([
      { path: 'input.front', sha256: sha256Of(Buffer.from(file.input.front, 'base64')) },
      { path: 'input.back', sha256: sha256Of(Buffer.from(file.input.back, 'base64')) },
    ]);
    // The remaining evidence has the same hash as the complete evidence.
    expect(evidenceHashOf([rest])).toBe(evidenceHashOf([file]));
    const verdict = await verifyAnyEvidence(readEvidenceFile(Buffer.from(line)));
    expect([verdict.verdict, verdict.reason_code]).toEqual(['inconclusive', 'evidence_removed']);
    expect(await openClaims({ db, sealer: ownSealer(db) }, of)).toMatchObject({ claims });
    const after = await call('GET', `/v2/trust-checks/${id}`, { token });
    expect(after.body['claims']).toEqual(available.body['claims']);
    expect(after.body['affidavit']).toEqual(available.body['affidavit']);
    await round();
    expect(await removals(id)).toHaveLength(1);
  });

  it('remain while their affidavit is being issued', async () => {
    const { session, evidenceId } = await uploaded();
    const { id } = session;
    await pass(session);
    await withAffidavit(session);
    const set = (to: string): Promise<unknown> =>
      db.query('UPDATE affidavits SET status = $2 WHERE link_session_id = $1', [id, to]);
    await ended(id, '9 days');
    await set('signing');
    await round();
    expect(await objectOf(id, evidenceId)).not.toBeNull();
    await set('available');
    await round();
    expect(await objectOf(id, evidenceId)).toBeNull();
  });

  it('follow the retention of their account, and remain until the check has ended', async () => {
    const account = await anotherAccount('retention');
    const keep = async (image_retention_days: number): Promise<void> => {
      const path = `/v2/accounts/${account.account_id}`;
      const body = { image_retention_days };
      expect((await call('PATCH', path, { token: account.api_key, body })).status).toBe(200);
    };
    await keep(30);
    const [over, running] = [await codeSession(account), await codeSession(account)];
    const files = [await uploadTo(over), await uploadTo(running)] as const;
    const there = async (): Promise<boolean[]> => [
      (await objectOf(over.id, files[0].evidenceId)) !== null,
      (await objectOf(running.id, files[1].evidenceId)) !== null,
    ];
    const canceled = await call('POST', `/v2/trust-checks/${over.id}/cancel`, {
      token: account.api_key,
      body: {},
    });
    expect(canceled.body['status']).toBe('canceled');
    await ended(over.id, '29 days 23 hours');
    await round();
    expect(await there()).toEqual([true, true]);
    await keep(0);
    // An upload in progress at the end of its check may store its object a little later.
    await ended(over.id, '4 minutes');
    await round();
    expect(await there()).toEqual([true, true]);
    await ended(over.id, '5 minutes');
    await round();
    expect(await there()).toEqual([false, true]);
  });

  it('remain due while the store is unavailable, and their removal is audited once', async () => {
    const { session, evidenceId, sha256 } = await uploaded();
    const { id } = session;
    await session.lead('cancel');
    await ended(id, '8 days');
    // The object is removed, but the remover fails before it writes the row.
    const cut = async (of: string): Promise<void> => {
      await store.erase(`evidence/${of}`);
      throw new Failure('dependency_unavailable');
    };
    const away = (): Promise<void> => Promise.reject(new Failure('dependency_unavailable'));
    await expect(round(cut, away)).rejects.toMatchObject({ code: 'dependency_unavailable' });
    const { rows } = await db.query('SELECT removed_at FROM evidence WHERE link_session_id = $1', [
      id,
    ]);
    expect([rows, await removals(id)]).toEqual([[{ removed_at: null }], []]);
    await round();
    expect(await objectOf(id, evidenceId)).toBeNull();
    expect((await removals(id)).map(({ details }) => details['files'])).toEqual([[sha256]]);
  });

  it.each([
    ['are broken', new Error('broken')],
    ['the store refuses alone', new Failure('dependency_unavailable')],
    ['the database was too slow for', Object.assign(new Error('canceled'), { code: '57014' })],
  ])('that %s are logged and counted, and do not block others', async (_, fault) => {
    const account = await anotherAccount('retention');
    const sessions = await Promise.all(Array.from({ length: 6 }, () => codeSession(account)));
    const bad = sessions.slice(0, 5);
    for (const [nr, session] of sessions.entries()) {
      await uploadTo(session);
      await session.lead('cancel');
      await ended(session.id, `${8 * 24 - nr} hours`);
    }
    [counted.length, logged.length] = [0, 0];
    const isBad = (id: string): boolean => bad.some((session) => session.id === id);
    await round(async (id) => {
      // No lock and no database connection is held during a call to the store.
      await db.query('SELECT FROM trust_checks WHERE link_session_id = $1 FOR UPDATE NOWAIT', [id]);
      if (isBad(id)) throw fault;
      await store.erase(`evidence/${id}`);
    });
    expect(counted.filter((each) => each === 'failed')).toHaveLength(5);
    expect(counted).toContainEqual({ files: 1, images: 0, photos: 0 });
    expect(logged).toHaveLength(5);
    const removedOf = async (): Promise<unknown[]> => {
      const { rows } = await db.query(
        `SELECT images_removed_at IS NOT NULL AS gone FROM trust_checks
         WHERE link_session_id = ANY ($1) ORDER BY decided_at`,
        [sessions.map(({ id }) => id)],
      );
      return rows.map(({ gone }) => gone);
    };
    expect(await removedOf()).toEqual([false, false, false, false, false, true]);
    await round();
    expect(await removedOf()).toEqual(Array(6).fill(true));
  });

  it('remain due if their round is canceled, which does not count as a failure', async () => {
    const { session, evidenceId } = await uploaded();
    await session.lead('cancel');
    await ended(session.id, '8 days');
    counted.length = 0;
    const environment = activityEnvironment();
    const canceled = environment.run(() => round(() => abortedIn(environment)));
    await expect(canceled).rejects.toBeInstanceOf(CancelledFailure);
    expect(counted).not.toContain('failed');
    await round();
    expect(await objectOf(session.id, evidenceId)).toBeNull();
  });

  it('are removed once when redaction and retention run concurrently', async () => {
    for (let nr = 0; nr < 3; nr += 1) {
      const { session } = await uploaded();
      const { id } = session;
      await session.lead('cancel');
      await ended(id, '8 days');
      const [redacted] = await Promise.all([
        call('POST', `/v2/trust-checks/${id}/redact`, { token, body: {} }),
        round(),
      ]);
      expect(redacted.status).toBe(200);
      const told = (await audited(own)).filter((row) => row.object_id === id);
      const files = told.map(({ action, details }) =>
        action === 'trust_check.redacted' ? Number(details['files']) : 1,
      );
      expect(files.reduce((sum, each) => sum + each, 0)).toBe(1);
      expect(told.filter(({ action }) => action === 'trust_check.redacted')).toHaveLength(1);
    }
  });

  it('are removed by the schedule of the workers', async () => {
    const { session, evidenceId } = await uploaded();
    await session.lead('cancel');
    await ended(session.id, '8 days');
    const { policies, action, spec } = await schedule().describe();
    expect(policies.overlap).toBe('SKIP');
    expect(action).toMatchObject({ workflowType: 'retention' });
    expect(spec.intervals).toEqual([expect.objectContaining({ every: 300_000 })]);
    await schedule().trigger();
    await eventually('the removal', async () => (await removals(session.id)).length === 1);
    expect(await objectOf(session.id, evidenceId)).toBeNull();
  });
});
