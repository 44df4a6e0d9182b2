import { beforeAll, describe, expect, it } from 'vitest';
import { photographDocument } from '../../../../simulator/document/camera.ts';
import { framesOf, upload } from '../../../support/checks/frames.ts';
import { call, collecting, newLink, type Session } from '../../../support/http/client.ts';
import { openTestDb } from '../../../support/platform/harness.ts';
import { ownPlatform } from '../../../support/platform/own-platform.ts';

const db = openTestDb(ownPlatform().databaseUrl);
const required_proofs = ['document', 'biometric'] as const;

let page: Uint8Array;
let session: Session;
let stranger: Session;
beforeAll(async () => {
  page = (await photographDocument(new Date())).front;
  [session, stranger] = await Promise.all([waiting(), waiting()]);
});

/** Returns a session that has a portrait and waits for a face. */
async function waiting(): Promise<Session> {
  const begun = await collecting(await newLink({ required_proofs, max_attempts: 10 }));
  const front = await upload(begun, 'front.jpg', page);
  const judged = await begun.lead('proofs/document', { front });
  if (judged.body['status'] !== 'passed') throw new Error(judged.text);
  return begun;
}

const lapse = (challengeId: unknown) =>
  db.query(
    `UPDATE proof_challenges SET expires_at = now() - interval '1 second'
     WHERE challenge_id = $1`,
    [challengeId],
  );
const ask = async (session: Session) => (await session.lead('challenges', face)).body;
const face = { proof: 'biometric' };

describe('a face challenge', () => {
  it('requires a portrait, then asks for three or four actions within a minute', async () => {
    const early = await collecting(await newLink({ required_proofs }));
    const refused = await early.step('challenges', face);
    expect([refused.status, refused.body['code'], refused.body['detail']]).toEqual([
      409,
      'invalid_state',
      'The proof is waiting_for_prerequisite',
    ]);
    const before = Date.now();
    const [one, other] = [await ask(session), await ask(session)];
    expect(other).toEqual(one);
    expect(Buffer.from(String(one['challenge']), 'base64url')).toHaveLength(33);
    expect([3, 4]).toContain((one['actions'] as unknown[]).length);
    const raced = await Promise.all([ask(stranger), ask(stranger), ask(stranger)]);
    expect(new Set(raced.map((each) => each['challenge_id'])).size).toBe(1);
    const lifeMs = Date.parse(String(one['expires_at'])) - before;
    expect(lifeMs).toBeGreaterThanOrEqual(60_000);
    expect(lifeMs).toBeLessThan(120_000);
  });
});

it('a face challenge is refused after five of them have expired unused', async () => {
  const waster = await waiting();
  for (let drawn = 0; drawn < 5; drawn += 1) {
    const { challenge_id } = await ask(waster);
    await lapse(challenge_id);
  }
  const { status, body } = await waster.lead('challenges', face);
  expect([status, body['code']]).toEqual([409, 'attempts_exhausted']);
});

it('the upload limit leaves room for the frames of every attempt', async () => {
  const link = await newLink({ required_proofs, max_attempts: 1 });
  const begun = await collecting(link);
  const put = async (index: number) =>
    (
      await call('PUT', `/v2/trust-checks/${begun.id}/evidence/f${index}`, {
        token: begun.token,
        raw: Buffer.from([index]),
        headers: { 'content-type': 'application/octet-stream' },
      })
    ).status;
  const places = Array.from({ length: 54 }, (_, index) => index);
  const statuses = await Promise.all(places.map(put));
  expect(statuses.filter((status) => status === 200)).toHaveLength(53);
  expect(statuses.filter((status) => status === 409)).toHaveLength(1);
});

describe('face frames', () => {
  it('must be eight to thirteen images of this session, distinct and in order', async () => {
    const fourteen = await framesOf(session, 14);
    const frames = fourteen.slice(0, 8);
    const [first, second] = frames;
    if (!first || !second) throw new Error('no frames');
    const { challenge_id } = await ask(session);
    const theirs = await upload(stranger, 'frame-0', Buffer.from('frame 0'));
    const other = await upload(session, 'frame-0', Buffer.from('frame 1'));
    // The evidence id depends on content, session and name.
    expect(new Set([first.image, second.image, theirs, other]).size).toBe(4);
    const large = await upload(session, 'large', Buffer.alloc(1024 * 1024 + 1));
    const rest = frames.slice(1);
    const cases: [string, unknown, unknown[]][] = [
      ['none', undefined, ['body', 'frames']],
      ['seven', rest, ['body', 'frames']],
      ['fourteen', fourteen, ['body', 'frames']],
      ['one twice', [...frames, { ...first, at_ms: 9000 }], ['body', 'frames']],
      ['two at once', [first, { ...second, at_ms: 0 }, ...rest.slice(1)], ['body', 'frames']],
      ['one of long ago', [{ ...first, at_ms: -1 }, ...rest], ['body', 'frames', 0, 'at_ms']],
      [
        'one too late',
        [...frames.slice(0, 7), { ...frames[7], at_ms: 60_001 }],
        ['body', 'frames', 7, 'at_ms'],
      ],
      ['no action', [{ ...first, action: -2 }, ...rest], ['body', 'frames', 0, 'action']],
      ['no number', [{ ...first, at_ms: '0' }, ...rest], ['body', 'frames', 0, 'at_ms']],
      ['foreign', [{ ...first, image: theirs }, ...rest], ['body', 'frames', 0, 'image']],
      ['large', [{ ...first, image: large }, ...rest], ['body', 'frames', 0, 'image']],
    ];
    for (const [name, given, loc] of cases) {
      const refused = await session.step('proofs/biometric', { challenge_id, frames: given });
      const [fault] = (refused.body['detail'] ?? []) as { loc: unknown[] }[];
      expect([refused.status, fault?.loc], name).toEqual([422, loc]);
    }
    const unnamed = await session.step('proofs/biometric', { frames });
    expect([unnamed.status, unnamed.body['detail']]).toEqual([
      422,
      [{ loc: ['body', 'challenge_id'], msg: 'Field required', type: 'missing' }],
    ]);
    const [proof] = (await session.get()).body['proofs'] as { attempt: number }[];
    expect(proof).toMatchObject({ type: 'biometric', status: 'ready', attempt: 0 });
  });

  it('answer a challenge of this session once, before it expires', async () => {
    const frames = await framesOf(session);
    const submit = async (challenge_id: unknown, given = frames) => {
      const { body } = await session.lead('proofs/biometric', { challenge_id, frames: given });
      return [body['status'], body['reason_code']];
    };
    const unknown = ['requires_retry', 'challenge_unknown'];
    expect(await submit(`ch_${'0'.repeat(26)}`)).toEqual(unknown);
    expect(await submit((await ask(stranger))['challenge_id'])).toEqual(unknown);
    const late = (await ask(session))['challenge_id'];
    await lapse(late);
    expect(await submit(late)).toEqual(unknown);
    // An action that was not requested spends the challenge too.
    const odd = (await ask(session))['challenge_id'];
    const beyond = frames.map((frame) => ({ ...frame, action: 4 }));
    expect(await submit(odd, beyond)).toEqual(['requires_retry', 'malformed']);
    expect(await submit(odd)).toEqual(unknown);
    const { challenge_id: good } = await ask(session);
    // Of two concurrent submissions the second is refused with 409 or finds the challenge spent. An
    // answer shows the current state of the proof, perhaps from the other one, so the rows are
    // compared.
    await Promise.all([submit(good), submit(good)]);
    const { rows } = await db.query(
      `SELECT 1 FROM proof_submissions
       WHERE link_session_id = $1 AND reason_code = 'image_refused'`,
      [session.id],
    );
    expect(rows).toHaveLength(1);
    expect(await submit(good)).toEqual(unknown);
  });
});
