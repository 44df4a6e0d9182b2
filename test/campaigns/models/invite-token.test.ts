import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { alike, holdModel, nothing, pick, type Step } from './model.ts';
import { openWorld, outcome, type World } from './world.ts';

/** A token of the interface (§3, §8): valid once, within five minutes. */
interface Issued {
  readonly token: string;
  readonly jwt: string;
  readonly madeAtMs: number;
  isGone: boolean;
}
interface Model {
  readonly issued: Issued[];
  nowMs: number;
}
type Invite = Step<Model, World>;

const lifeMs = 5 * 60_000;
/** Any sum of these waits is clearly inside or outside the lifetime of a token. */
const waitsMs = [40_000, 140_000] as const;

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.stop());

const create = fc.nat({ max: 1e6 }).map((mark): Invite => ({
  name: `create(${mark})`,
  async take(model, { ask }) {
    const jwt = `eyJhbGciOiJub25lIn0.${'x'.repeat(mark % 50)}${mark}.y`;
    const made = await ask('POST', '/create_invite_exchange_token', { body: { raw_jwt: jwt } });
    expect(outcome(made)).toBe('200');
    const token = String(made.body['token']);
    model.issued.push({ token, jwt, madeAtMs: model.nowMs, isGone: false });
  },
}));
const exchange = fc.nat({ max: 30 }).map((place): Invite => ({
  name: `exchange(${place})`,
  isMeant: ({ issued }) => issued.length > 0,
  async take(model, { ask }) {
    const left = model.issued.filter(({ isGone }) => !isGone);
    // Half of the exchanges use a token that was not exchanged yet.
    const isFresh = place % 2 === 0 && left.length > 0;
    const one = pick(isFresh ? left : model.issued, place >> 1);
    if (!one) return;
    const isGood = !one.isGone && model.nowMs - one.madeAtMs < lifeMs;
    const { token } = one;
    const answer = await ask('POST', '/exchange_invite_token', { body: { token } });
    expect(outcome(answer)).toBe(isGood ? '200' : '404 not_found');
    if (isGood) expect(answer.body).toEqual({ raw_jwt: one.jwt });
    one.isGone = true;
  },
}));
const guess = fc.base64String({ minLength: 1, maxLength: 60 }).map((token): Invite => ({
  name: `guess(${token})`,
  async take(_model, { ask }) {
    const answer = await ask('POST', '/exchange_invite_token', { body: { token } });
    expect(outcome(answer)).toBe('404 not_found');
  },
}));
/** A slightly changed token is invalid, and the real one stays valid. */
const nearly = fc.tuple(fc.nat({ max: 30 }), fc.nat({ max: 3 })).map(([place, how]): Invite => ({
  name: `nearly(${place}, ${how})`,
  isMeant: ({ issued }) => issued.length > 0,
  async take(model, { ask }) {
    const { token = '' } = pick(model.issued, place) ?? {};
    const other = token.endsWith('A') ? 'B' : 'A';
    const near = [`${token.slice(0, -1)}${other}`, ` ${token}`, token.toLowerCase(), `${token}=`];
    const body = { token: near[how] ?? '' };
    expect(outcome(await ask('POST', '/exchange_invite_token', { body }))).toBe('404 not_found');
  },
}));
const wait = fc.constantFrom(...waitsMs).map((ms): Invite => ({
  name: `wait(${ms / 1000} s)`,
  async take(model, { advance }) {
    model.nowMs += ms;
    advance(ms);
  },
}));

it('an invite token is exchanged once and before it expires, in any sequence of calls', async () => {
  const stage = async () => {
    world.reset();
    return { model: { issued: [], nowMs: 0 }, real: world };
  };
  await holdModel([create, create, exchange, guess, nearly, wait, wait], stage, nothing, alike);
});
