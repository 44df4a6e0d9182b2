import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  judgeByProvider,
  type BoundChallenge,
} from '../../../../activities/proofs/face/provider/judge.ts';
import { ThreadLost } from '../../../../activities/runtime/threads/thread-lost.ts';
import { findTrustCheck, type TrustCheckRow } from '../../../../db/queries/trust-checks.ts';
import { accountOwner } from '../../../../db/sealing/sealed.ts';
import type { HeavyWork } from '../../../../workers/threads/heavy-work.ts';
import { createThreads } from '../../../../workers/threads/pool.ts';
import { havingLost } from '../../../support/checks/losing.ts';
import { insertSubmission } from '../../../support/checks/submission.ts';
import { standing, type Standing } from '../../../support/fixtures/faces/providers.ts';
import { beginSession, newLink } from '../../../support/http/client.ts';
import { ownSealer } from '../../../support/keys/own-sealer.ts';
import { openTestDb } from '../../../support/platform/harness.ts';
import { ownPlatform } from '../../../support/platform/own-platform.ts';
import { referencePicture } from '../../../support/stand-ins/faces/face-sessions.ts';

const policy = { confidencePercentMin: 90, similarityPercentMin: 99, similarityPercentReview: 90 };
const at = new Date();
const expiresAt = new Date(+at + 60_000);
const later = new Date(+expiresAt + 1);
const down = { code: 'dependency_unavailable' };
const db = openTestDb(ownPlatform().databaseUrl);
/** These tests compare no faces. */
const heavy = {
  takeFaces: async () => {
    throw new Error('a portrait was read');
  },
};

let on: Standing;
let session: TrustCheckRow;
beforeAll(async () => {
  on = await standing('rekognition');
  const found = await findTrustCheck(db, (await beginSession(await newLink())).id);
  if (!found) throw new Error('no session');
  session = found;
});
afterAll(() => on.standIn.stop());

async function bound(key: string): Promise<BoundChallenge> {
  const begun = await on.provider.begin(key);
  return { provider: 'rekognition', session: begun.session, key, expiresAt };
}

const judge = (challenge: BoundChallenge, now = at, other: Partial<Other> = {}) =>
  judgeByProvider(
    {
      db,
      sealer: ownSealer(db),
      heavy: other.heavy ?? heavy,
      policy,
      providers: { rekognition: on.provider },
    },
    { session: other.session ?? session, handedInAt: at, now },
    challenge,
  );

interface Other {
  readonly heavy: Pick<HeavyWork, 'takeFaces'>;
  readonly session: TrustCheckRow;
}

/** Returns the session after it accepted a document with this page. */
async function withPortrait(page: string): Promise<TrustCheckRow> {
  const submission_id = await insertSubmission(db, session.link_session_id, {});
  const input = { front: Buffer.from(page).toString('base64') };
  const files = [{ kind: 'document-image', input }];
  const context = `proof_submissions|evidence|${submission_id}`;
  const owner = accountOwner(session.account_id);
  const sealed = await ownSealer(db).seal(owner, context, JSON.stringify({ files, images: [] }));
  await db.query(
    `UPDATE proof_submissions SET proof = 'document', evidence_hash = 'one', evidence_sealed = $2
     WHERE submission_id = $1`,
    [submission_id, sealed],
  );
  const [proof] = session.proofs;
  const step = { proof: 'document', proof_from: 'processing', proof_to: 'passed', submission_id };
  return Object.assign({}, session, { proofs: [{ ...proof, type: 'document' }], log: [step] });
}

describe('the face judge with a provider', () => {
  it('gives no verdict while the session is open, and expires it after its time', async () => {
    const challenge = await bound('ch_pending');
    await expect(judge(challenge)).rejects.toMatchObject(down);
    await expect(judge(challenge, expiresAt)).rejects.toMatchObject(down);
    expect(await judge(challenge, later)).toMatchObject({
      outcome: 'rejected',
      reason_code: 'session_expired',
      retryable: true,
      provider: 'rekognition',
      evidenceFiles: [{ kind: 'face-claim', input: { session: challenge.session } }],
    });
  });

  it('rejects a session unknown to the provider, without evidence', async () => {
    const unknown = '00000000-0000-4000-8000-000000000000';
    const judged = await judge({ ...(await bound('ch_gone')), session: unknown });
    expect(judged).toEqual({
      outcome: 'rejected',
      reason_code: 'session_expired',
      retryable: true,
      provider: 'rekognition',
    });
  });

  it('rejects an answer of the provider for another session or with invalid members', async () => {
    const challenge = await bound('ch_hostile');
    const ReferenceImage = { Bytes: referencePicture.toString('base64') };
    const good = { Status: 'SUCCEEDED', Confidence: 99, ReferenceImage };
    for (const body of [
      { ...good, SessionId: 'another' },
      { ...good, SessionId: challenge.session, Confidence: '99' },
      { ...good, SessionId: challenge.session, Status: 'LIVE' },
      { ...good, SessionId: challenge.session, ReferenceImage: { Bytes: 'bm8gaW1hZ2U=' } },
      { ...good, SessionId: challenge.session, ReferenceImage: { Bytes: 'not base64' } },
      [],
    ]) {
      on.standIn.failNext({ status: 200, body });
      await expect(judge(challenge), JSON.stringify(body)).rejects.toMatchObject(down);
    }
    const nowhere = { ...challenge, provider: 'http' } as const;
    await expect(judge(nowhere)).rejects.toMatchObject(down);
  });

  it('requests a portrait only after liveness passed, and is unsure without one', async () => {
    const challenge = await bound('ch_bare');
    const end = on.standIn.sessions.must(challenge.session);
    end.end = { status: 'succeeded', confidence: 99, reference: referencePicture, similarity: 100 };
    expect(await judge(challenge)).toMatchObject({
      outcome: 'unsure',
      reason_code: 'portrait_missing',
    });
    expect(end.portrait).toBeNull();
  });

  it('retries after a lost thread, and blames the portrait after the third loss', async () => {
    const entry = new URL('../../../unit/proofs/face/ending-thread.ts', import.meta.url);
    const threads = createThreads({ threadsMax: 1, onBroken: () => undefined, entry });
    const challenge = await bound('ch_lost');
    const end = on.standIn.sessions.must(challenge.session);
    end.end = { status: 'succeeded', confidence: 99, reference: referencePicture, similarity: 100 };
    const shown = await withPortrait('x');
    const late = new ThreadLost('late', { cause: null, isLate: true });
    const busy = { takeFaces: () => Promise.reject(late) };
    const tried = (lost: number, by: Pick<HeavyWork, 'takeFaces'> = threads) =>
      havingLost(lost, () => judge(challenge, at, { heavy: by, session: shown }));
    await expect(tried(0)).rejects.toBeInstanceOf(ThreadLost);
    await expect(tried(1)).rejects.toBeInstanceOf(ThreadLost);
    await expect(tried(9, busy)).rejects.toBe(late);
    expect(await tried(2)).toEqual({
      outcome: 'unsure',
      reason_code: 'portrait_unusable',
      retryable: true,
      provider: 'rekognition',
    });
    expect(end.portrait).toBeNull();
    // Removes the evidence, because the end of the suite judges all stored evidence.
    await db.query(
      `UPDATE proof_submissions SET evidence_hash = NULL, evidence_sealed = NULL
       WHERE link_session_id = $1`,
      [session.link_session_id],
    );
    await threads.stop();
  });
});
