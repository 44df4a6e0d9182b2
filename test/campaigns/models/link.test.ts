import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ownPlatform } from '../../support/platform/own-platform.ts';
import { closeRaceDb, keyOf } from '../../support/races/ground.ts';
import { holdModel, pick, type Step } from './model.ts';
import { openWorld, outcome, type World } from './world.ts';

/**
 * A link: it goes from scheduled to active, is paused and resumed, and is reserved
 * by the session of a single-use link. The end of that session releases or consumes it. Its last
 * use consumes it, its date expires it, and it can be deleted. The model computes each state from
 * the past steps and the clock.
 */
interface Session {
  readonly id: string;
  readonly token: string;
  state: 'begun' | 'paired' | 'ended';
  /** Whether the session holds a use: from its begin, and permanently once it is opened. */
  isHeld: boolean;
}
interface Model {
  readonly isSingle: boolean;
  readonly usesMax: number | null;
  startsAtMs: number | null;
  endsAtMs: number | null;
  isPaused: boolean;
  isUsedUp: boolean;
  isDeleted: boolean;
  uses: number;
  readonly sessions: Session[];
  nowMs: number;
}
interface Real extends World {
  readonly link: string;
  readonly key: string;
}
type Move = Step<Model, Real>;

const hourMs = 3600_000;
let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(async () => {
  await world.stop();
  await closeRaceDb();
});

const open = ({ sessions }: Model): Session[] => sessions.filter(({ state }) => state !== 'ended');

function stateOf(model: Model): string {
  const { isDeleted, isUsedUp, isSingle, isPaused, startsAtMs, endsAtMs, nowMs } = model;
  if (isDeleted) return 'deleted';
  if (isUsedUp) return 'consumed';
  if (isSingle && open(model).length > 0) return 'reserved';
  if (endsAtMs !== null && nowMs >= endsAtMs) return 'expired';
  if (isPaused) return 'paused';
  return startsAtMs !== null && nowMs < startsAtMs ? 'scheduled' : 'active';
}

/** Returns whether every use is consumed or held by an open session. */
function isTaken(model: Model): boolean {
  const { usesMax, uses } = model;
  return usesMax !== null && uses + open(model).filter(({ isHeld }) => isHeld).length >= usesMax;
}

const inactive = '409 link_not_active';
const illegal = '409 invalid_state';

const begin = fc.constant<Move>({
  name: 'begin',
  async take(model, { ask, link }) {
    const answer = await ask('POST', '/v2/trust-checks', {
      body: { link_uuid: link, client: 'web' },
    });
    const state = stateOf(model);
    if (state === 'deleted') expect(outcome(answer)).toBe('404 not_found');
    else if (state === 'reserved') expect(outcome(answer)).toBe('409 already_begun');
    else if (state !== 'active' || isTaken(model)) expect(outcome(answer)).toBe(inactive);
    else {
      expect(outcome(answer)).toBe('201');
      const [id, token] = ['link_session_id', 'check_token'].map((name) =>
        String(answer.body[name]),
      );
      model.sessions.push({ id: id ?? '', token: token ?? '', state: 'begun', isHeld: true });
    }
  },
});

const which = fc.nat({ max: 9 });
const step = (real: Real, { id, token }: Session, name: string, body: unknown = {}) =>
  real.ask('POST', `/v2/trust-checks/${id}/${name}`, { token, body });

const pair = which.map((one): Move => ({
  name: `pair(${one})`,
  isMeant: (model) => open(model).some(({ state }) => state !== 'paired'),
  async take(model, real) {
    const session = pick(
      open(model).filter(({ state }) => state !== 'paired'),
      one,
    );
    if (!session) return;
    const isHeldBack = !model.isSingle && !session.isHeld && isTaken(model);
    expect(outcome(await step(real, session, 'open'))).toBe(isHeldBack ? inactive : '200');
    if (isHeldBack) return;
    expect(outcome(await step(real, session, 'pair'))).toBe('200');
    session.state = 'paired';
    session.isHeld = true;
  },
}));

/** A refusal consumes a link as a decision does. */
const decline = which.map((one): Move => ({
  name: `decline(${one})`,
  isMeant: (model) => open(model).some(({ state }) => state === 'paired'),
  async take(model, real) {
    const session = pick(
      open(model).filter(({ state }) => state === 'paired'),
      one,
    );
    if (!session) return;
    const refusal = { accepted: false, tos_version: '1', claims: [] };
    const answer = await step(real, session, 'consent', refusal);
    expect([answer.status, answer.body['status']]).toEqual([200, 'declined']);
    session.state = 'ended';
    model.uses += 1;
    if (model.isSingle || model.uses === model.usesMax) model.isUsedUp = true;
  },
}));

const cancel = which.map((one): Move => ({
  name: `cancel(${one})`,
  isMeant: ({ sessions }) => sessions.length > 0,
  async take(model, real) {
    const session = pick(model.sessions, one);
    if (!session) return;
    const answer = await step(real, session, 'cancel');
    expect(outcome(answer)).toBe(session.state === 'ended' ? illegal : '200');
    session.state = 'ended';
  },
}));

/** Returns the expected refusal of any change, or null. */
function refusalOf(model: Model): string | null {
  const state = stateOf(model);
  if (state === 'deleted') return '404 not_found';
  return ['expired', 'consumed'].includes(state) ? illegal : null;
}

const pause = fc.constantFrom(true, false, false, false).map((paused): Move => ({
  name: paused ? 'pause' : 'resume',
  async take(model, { ask, link, key: token }) {
    const answer = await ask('PATCH', `/v2/${link}`, { token, body: { paused } });
    const isHeld = paused && stateOf(model) === 'reserved';
    const refusal = refusalOf(model) ?? (isHeld ? illegal : null);
    expect(outcome(answer)).toBe(refusal ?? '200');
    if (refusal === null && stateOf(model) !== 'reserved') model.isPaused = paused;
  },
}));

const end = fc.integer({ min: 1, max: 8 }).map((hours): Move => ({
  name: `end in ${hours} h 45 min`,
  async take(model, { ask, link, key: token, now }) {
    // Never at the same instant as another date, because the platform’s clock advances between
    // calls.
    const inMs = (hours + 0.75) * hourMs;
    const { startsAtMs } = model;
    const isBefore = startsAtMs !== null && model.nowMs + inMs <= startsAtMs;
    const expires_at = new Date(now().getTime() + inMs).toISOString();
    const answer = await ask('PATCH', `/v2/${link}`, { token, body: { expires_at } });
    const refusal = refusalOf(model);
    if (refusal !== null) expect(outcome(answer)).toBe(refusal);
    else if (isBefore) expect(answer.status).toBe(422);
    else {
      expect(outcome(answer)).toBe('200');
      model.endsAtMs = model.nowMs + inMs;
    }
  },
}));

/** Changes the version that was read, then fails to change the same version again. */
const edit = fc.constant<Move>({
  name: 'edit, and once more on the same version',
  async take(model, { ask, link, key: token }) {
    const { headers: read } = await ask('GET', `/v2/raw/${link}`, { token });
    const headers = { 'if-match': read.get('etag') ?? '"0"' };
    const change = { token, headers, body: { title: 'edited' } };
    const answer = await ask('PATCH', `/v2/${link}`, change);
    const refusal = refusalOf(model);
    expect(outcome(answer)).toBe(refusal ?? '200');
    if (refusal !== null) return;
    expect(outcome(await ask('PATCH', `/v2/${link}`, change))).toBe('412 precondition_failed');
  },
});

const remove = fc.constant<Move>({
  name: 'delete',
  // Not early, because little can happen after a deletion.
  isMeant: ({ sessions, uses }) => sessions.length + uses > 1,
  async take(model, { ask, link, key: token }) {
    const answer = await ask('DELETE', `/v2/${link}`, { token });
    expect(outcome(answer)).toBe(model.isDeleted ? '404 not_found' : '200');
    model.isDeleted = true;
    // Its sessions have ended by the time of the answer.
    for (const session of open(model)) {
      const { body } = await ask('GET', `/v2/trust-checks/${session.id}`, { token });
      expect(body['status']).toBe('canceled');
      session.state = 'ended';
    }
  },
});

const wait = fc.integer({ min: 1, max: 3 }).map((hours): Move => ({
  name: `wait(${hours} h)`,
  async take(model, { advance }) {
    model.nowMs += hours * hourMs;
    advance(hours * hourMs);
    // A session that is not opened holds its use for half an hour.
    for (const session of model.sessions) session.isHeld &&= session.state !== 'begun';
  },
}));

/** Asserts that the link is as the model predicts for its manager. */
async function looksSo(model: Model, { ask, link, key: token }: Real): Promise<void> {
  const { status, body } = await ask('GET', `/v2/raw/${link}`, { token });
  if (model.isDeleted) expect(status).toBe(404);
  else {
    expect([body['status'], body['use_count']]).toEqual([stateOf(model), model.uses]);
    expect(body['last_used_at'] === null).toBe(model.uses === 0);
  }
}

const starts = fc.record({
  kind: fc.constantFrom(
    { single_use: true, max_uses: null },
    { single_use: false, max_uses: 1 },
    { single_use: false, max_uses: 2 },
    { single_use: false, max_uses: null },
  ),
  isScheduled: fc.constantFrom(false, false, true),
});
type Start = typeof starts extends fc.Arbitrary<infer T> ? T : never;

async function stage({ kind, isScheduled }: Start): Promise<{ model: Model; real: Real }> {
  const { own } = ownPlatform();
  world.reset();
  const { single_use, max_uses } = kind;
  const inMs = isScheduled ? 1.5 * hourMs : null;
  const key = await keyOf(own.account_id, ['ADMIN']);
  const body = {
    required_proofs: ['phone'],
    single_use,
    ...(max_uses === null ? {} : { max_uses }),
    ...(inMs === null ? {} : { not_before: new Date(Date.now() + inMs) }),
  };
  const made = await world.ask('PUT', `/v2/link/${own.app_id}`, { token: key, body });
  expect(outcome(made)).toBe('200');
  return {
    model: {
      isSingle: single_use,
      usesMax: max_uses,
      startsAtMs: inMs,
      endsAtMs: null,
      isPaused: false,
      isUsedUp: false,
      isDeleted: false,
      uses: 0,
      sessions: [],
      nowMs: 0,
    },
    real: { ...world, link: String(made.body['link_uuid']), key },
  };
}

it('a link changes only as its state machine allows', async () => {
  // Steps that use a link occur more often than steps that block it.
  const uses = [begin, begin, begin, begin, pair, pair, pair, pair, decline, decline, cancel];
  const steps = [...uses, pause, end, edit, remove, wait];
  await holdModel(steps, stage, looksSo, starts);
});
