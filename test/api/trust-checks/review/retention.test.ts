import { beforeAll, describe, expect, it } from 'vitest';
import { openClaims } from '../../../../activities/proofs/evidence/kept-evidence.ts';
import { evidenceKey } from '../../../../activities/proofs/evidence/store.ts';
import type { Db } from '../../../../db/client.ts';
import { randomIds } from '../../../../db/ids.ts';
import { evidenceHashOf } from '../../../../domain/evidence/binding.ts';
import { readEvidenceFile } from '../../../../domain/judging/files.ts';
import { verifyAnyEvidence } from '../../../../domain/judging/verifiers.ts';
import { Failure } from '../../../../workflows/failures.ts';
import { claims, jpeg, photographed, sha256Of } from '../../../support/checks/photographed.ts';
import { call, pass, withAffidavit } from '../../../support/http/client.ts';
import { ownSealer } from '../../../support/keys/own-sealer.ts';
import { audited } from '../../../support/people/audited.ts';
import { anotherAccount, codeSession } from '../../../support/people/sms.ts';
import { eventually } from '../../../support/platform/harness.ts';
import { ownPlatform } from '../../../support/platform/own-platform.ts';
import { uploaded, uploadTo } from '../submit/uploaded.ts';
import { objectOf, retentionRounds, store } from './retention-rounds.ts';
import { CancelledFailure } from '@temporalio/common';
import { abortedIn, activityEnvironment } from '../../../support/checks/activity-environment.ts';

const { own } = ownPlatform();
const token = own.api_key;
const rounds = retentionRounds();
const { counted, ended, logged, round } = rounds;
let db: Db;
beforeAll(() => {
  db = rounds.database();
});
async function removals(id: string) {
  const rows = await audited(own);
  return rows.filter((row) => row.object_id === id && row.action === 'trust_check.images_removed');
}
const exported = async (id: string): Promise<string[]> => {
  const { text } = await call('GET', `/v2/trust-checks/${id}/evidence`, { token });
  return text.split('\n').filter((line) => line.includes('"kind":"document-image"'));
};

describe('images of a check', () => {
  it('go after their time, by hash in the audit log; all else is there and judged', async () => {
    const { session, evidenceId, sha256 } = await uploaded();
    const { id } = session;
    await pass(session);
    const available = await withAffidavit(session);
    const { of, file, hashes } = await photographed(db, id);
    // A file whose row was never written: its upload was cut off.
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
    // The rest is bound by the very hash of the whole.
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

  it('stay while their affidavit is made', async () => {
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

  it('are left to the next round by a store that is away, and told of once', async () => {
    const { session, evidenceId, sha256 } = await uploaded();
    const { id } = session;
    await session.lead('cancel');
    await ended(id, '8 days');
    // The object goes, and whoever removes it before its row is written.
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
  ])('that %s are logged and counted, and stand in no way', async (_, fault) => {
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
      // Nobody waits for a store with a check, or a connection, in the hand.
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

  it('stay due when their round is canceled, which is no failure', async () => {
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

  it('are removed by a redaction or before it, by one of the two', async () => {
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

  it('are removed by the schedule that workers keep', async () => {
    const { session, evidenceId } = await uploaded();
    await session.lead('cancel');
    await ended(session.id, '8 days');
    const { policies, action, spec } = await rounds.schedule().describe();
    expect(policies.overlap).toBe('SKIP');
    expect(action).toMatchObject({ workflowType: 'retention' });
    expect(spec.intervals).toEqual([expect.objectContaining({ every: 300_000 })]);
    await rounds.schedule().trigger();
    await eventually('the removal', async () => (await removals(session.id)).length === 1);
    expect(await objectOf(session.id, evidenceId)).toBeNull();
  });
});
