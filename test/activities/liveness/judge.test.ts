import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { judgeByProvider, type BoundChallenge } from '../../../activities/liveness/judge.ts';
import { findTrustCheck, type TrustCheckRow } from '../../../db/queries/trust-checks.ts';
import { beginSession, newLink } from '../../client.ts';
import { openTestDb } from '../../harness.ts';
import { ownPlatform } from '../../own-platform.ts';
import { ownSealer } from '../../own-sealer.ts';
import { referencePicture } from '../../stand-ins/face-sessions.ts';
import { standing, type Standing } from './providers.ts';

const policy = { confidencePercentMin: 90, similarityPercentMin: 99, similarityPercentReview: 90 };
const at = new Date();
const expiresAt = new Date(+at + 60_000);
const later = new Date(+expiresAt + 1);
const down = { code: 'dependency_unavailable' };
const db = openTestDb(ownPlatform().databaseUrl);
/** Of what is tested here nothing is ever compared. */
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

const judge = (challenge: BoundChallenge, now = at) =>
  judgeByProvider(
    { db, sealer: ownSealer(db), heavy, policy, providers: { rekognition: on.provider } },
    { session, handedInAt: at, now },
    challenge,
  );

describe('a judge that has to ask a provider', () => {
  it('judges nothing while the session goes on, and calls it expired after its time', async () => {
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

  it('refuses a session that is not known there, without evidence', async () => {
    const unknown = '00000000-0000-4000-8000-000000000000';
    const judged = await judge({ ...(await bound('ch_gone')), session: unknown });
    expect(judged).toEqual({
      outcome: 'rejected',
      reason_code: 'session_expired',
      retryable: true,
      provider: 'rekognition',
    });
  });

  it('never takes the word of a provider for another session, or a word that is none', async () => {
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

  it('asks for a portrait only once it is sure, and a person looks where there is none', async () => {
    const challenge = await bound('ch_bare');
    const end = on.standIn.sessions.must(challenge.session);
    end.end = { status: 'succeeded', confidence: 99, reference: referencePicture, similarity: 100 };
    expect(await judge(challenge)).toMatchObject({
      outcome: 'unsure',
      reason_code: 'portrait_missing',
    });
    expect(end.portrait).toBeNull();
  });
});
