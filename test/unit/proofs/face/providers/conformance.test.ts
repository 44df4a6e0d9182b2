import { inspect } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createHttpProvider } from '../../../../../activities/proofs/face/provider/http.ts';
import { randomIds } from '../../../../../db/ids.ts';
import { faceProviders } from '../../../../../domain/names.ts';
import {
  readComparison,
  readLiveness,
} from '../../../../../domain/proofs/face/provider-answers.ts';
import { standing, type Standing } from '../../../../support/fixtures/faces/providers.ts';
import {
  facePath,
  faceProviderSecret,
  startFaceProvider,
} from '../../../../support/stand-ins/faces/face-provider.ts';
import {
  referencePicture,
  type FaceEnd,
} from '../../../../support/stand-ins/faces/face-sessions.ts';
import type { Fault } from '../../../../support/stand-ins/provider.ts';

const down = { code: 'dependency_unavailable' };
const portrait = Buffer.concat([referencePicture, Buffer.from('of the document')]);
let made = 0;
const newKey = (): string => `ch_${String((made += 1)).padStart(26, '0')}`;

describe.each(faceProviders)('%s', (name) => {
  let on: Standing;
  let quick: Standing;
  beforeAll(async () => {
    [on, quick] = await Promise.all([standing(name), standing(name, 700)]);
    // The first call loads the client of the provider.
    await quick.provider.begin(newKey()).catch(() => null);
  });
  afterAll(() => Promise.all([on.standIn.stop(), quick.standIn.stop()]));

  async function ended(end: FaceEnd) {
    const key = newKey();
    const { session } = await on.provider.begin(key);
    on.standIn.sessions.must(session).end = end;
    return { key, session };
  }

  it('begins one session per key, also when repeated, and returns what its client needs', async () => {
    const [key, other] = [newKey(), newKey()];
    const begun = await Promise.all([key, key, other].map((each) => on.provider.begin(each)));
    const [first, again, another] = begun;
    expect(first).toEqual(again);
    expect(another?.session).not.toBe(first?.session);
    expect(on.standIn.sessions.must(first?.session ?? '').key).toBe(key);
    const needed = { rekognition: { region: 'eu-west-1' }, http: { page: expect.any(String) } };
    expect(first?.client).toEqual(needed[name]);
  });

  it.each<[FaceEnd, object]>([
    [{ status: 'pending' }, { status: 'pending', confidencePercent: null, reference: null }],
    [{ status: 'failed' }, { status: 'failed', confidencePercent: null, reference: null }],
    [{ status: 'expired' }, { status: 'expired', confidencePercent: null, reference: null }],
    [
      { status: 'succeeded', confidence: 12.5 },
      { status: 'succeeded', confidencePercent: 12.5, reference: null },
    ],
  ])('reports the result of a session: %o', async (end, said) => {
    const { key, session } = await ended(end);
    const answer = await on.provider.result(session, key);
    expect(readLiveness(name, answer)).toMatchObject({ session, ...said });
  });

  it('returns null for an unknown session', async () => {
    const unknown = '00000000-0000-4000-8000-000000000000';
    expect(await on.provider.result(unknown, newKey())).toBeNull();
  });

  it('compares the picture of a session with the portrait, and sends nothing else', async () => {
    const end = { status: 'succeeded', confidence: 99, reference: referencePicture } as const;
    const { key, session } = await ended({ ...end, similarity: 97.25 });
    const said = readLiveness(name, await on.provider.result(session, key));
    const reference = said?.reference ?? new Uint8Array();
    expect(Buffer.from(reference).subarray(0, referencePicture.length)).toEqual(referencePicture);
    const asked = { session, key, reference, portrait };
    const compared = readComparison(name, await on.provider.compare(asked));
    expect(compared).toMatchObject({ similarityPercent: 97.25, refused: null });
    expect(on.standIn.sessions.must(session).portrait).toEqual(portrait);
    on.standIn.sessions.must(session).end = { ...end, similarity: null };
    expect(readComparison(name, await on.provider.compare(asked))).toMatchObject({
      similarityPercent: null,
      refused: 'no_face',
    });
  });

  it('fails as unavailable with wrong credentials, and the error contains no secret', async () => {
    const key = newKey();
    const error: unknown = await on.stranger.begin(key).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject(down);
    expect(inspect(error, { depth: 10 })).not.toMatch(new RegExp(`${key}|another|AKIA|whsec`));
  });

  it.each<[string, Fault]>([
    ['rate limited', { status: 429 }],
    ['a server error', { status: 500 }],
    ['access denied', { status: 403, body: { __type: 'AccessDeniedException' } }],
    ['an empty body', { status: 200 }],
    ['invalid JSON', { status: 200, text: '<html>' }],
    ['a list', { status: 200, body: [] }],
    ['wrong types', { status: 200, body: { SessionId: 7, session_id: 7 } }],
    ['an unsigned or wrong answer', { status: 200, body: { operation: 'begin', SessionId: 'x' } }],
    ['too long', { status: 200, text: `{"a":"${'x'.repeat(6 * 1024 * 1024)}"}` }],
    ['a redirect', { status: 302, headers: { Location: 'http://127.0.0.1:9' } }],
    ['no answer', 'hang'],
    ['a reset connection', 'reset'],
    ['a trickle', 'trickle'],
  ])('fails as unavailable without a usable answer: %s', async (_what, fault) => {
    const { provider, standIn } = quick;
    // A client with retries gets the same fault again.
    standIn.failNext(fault, 10);
    await expect(provider.begin(newKey())).rejects.toMatchObject(down);
    standIn.recover();
    expect((await on.provider.begin(newKey())).session).toMatch(/^[0-9a-f-]{36}$/);
  });
});

describe('an answer of the HTTP provider', () => {
  it('is trusted only with its signature, for its request, within five minutes', async () => {
    const standIn = await startFaceProvider(() => new Date());
    const provider = createHttpProvider({
      url: `${standIn.url}${facePath}`,
      secret: faceProviderSecret,
      ids: randomIds,
      clock: () => new Date(),
    });
    const [key] = [newKey()];
    const { session } = await provider.begin(key);
    for (const how of [
      { secret: `whsec_${Buffer.alloc(32, 1).toString('base64')}` },
      { id: 'ask_of_before' },
      { at: new Date(Date.now() - 6 * 60_000) },
      { at: new Date(Date.now() + 6 * 60_000) },
    ]) {
      standIn.signNext(how);
      await expect(provider.result(session, key), inspect(how)).rejects.toMatchObject(down);
    }
    expect(await provider.result(session, key)).toMatchObject({ status: 'pending' });
    // The session name must fit the database.
    for (const name of ['', 'a\0b', 'a\nb', '\ud800', 'x'.repeat(201)]) {
      standIn.nameNext(name);
      await expect(provider.begin(newKey()), inspect(name)).rejects.toMatchObject(down);
    }
    standIn.nameNext('x'.repeat(200));
    expect((await provider.begin(newKey())).session).toHaveLength(200);
    await standIn.stop();
  });
});
