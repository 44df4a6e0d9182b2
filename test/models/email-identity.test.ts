import fc from 'fast-check';
import { afterAll, expect, it } from 'vitest';
import { newSession } from '../../cli/seed.ts';
import type { Device } from '../../cli/phone/device.ts';
import { randomIds } from '../../db/ids.ts';
import { goodBundle, platformKeys } from '../bundles.ts';
import { call } from '../client.ts';
import { newAddress as newMailbox } from '../mailbox.ts';
import { ownPlatform } from '../own-platform.ts';
import { enrolledPhone } from '../phone.ts';
import { closeRaceDb, mailedToken, raceDb } from '../races/ground.ts';
import { newAddress } from '../races/race.ts';
import { alike, holdModel, pick, type Step } from './model.ts';
import { outcome } from './world.ts';

/**
 * The login emails of two people with a certified device and of as many without as come to be, as
 * interface §3 has them, row by row, with what the domain adds: a revoked address is reserved, and
 * nobody loses their only way in.
 */
interface Person {
  readonly id: string;
  readonly kind: 'cert' | 'email';
  /** Whose part they have become. */
  adoptedBy: Person | null;
}
interface Row {
  owner: Person;
  status: 'ACTIVE' | 'REVOKED';
  readonly identityId: number;
}
interface Session {
  readonly token: string;
  readonly person: Person;
  /** The address it came by. */
  readonly address: number;
  isLive: boolean;
}
interface Model {
  readonly holders: readonly Person[];
  readonly rows: (Row | null)[];
  readonly sessions: Session[];
}
interface Real {
  readonly phones: readonly Device[];
  readonly tokens: readonly string[];
  readonly addresses: readonly string[];
  readonly from: Readonly<Record<string, string>>;
}
type Move = Step<Model, Real>;

const wrongToken = '401 email_token_invalid';
const wrongCredential = '401 credential_invalid';
const rootOf = (person: Person): Person => person.adoptedBy ?? person;
afterAll(closeRaceDb);

const address = fc.nat({ max: 2 });
const holder = fc.nat({ max: 1 });

/** `(no row) → login-eligible`, an email-only person with it; a revoked address signs nobody in. */
const login = address.map((at): Move => ({
  name: `login(${at})`,
  async take(model, { addresses, from }) {
    const mailed = await mailedToken(addresses[at] ?? '', 'login');
    const offer = () =>
      call('POST', '/v2/email/login/verify', {
        body: { token: mailed.token },
        headers: { ...from, cookie: mailed.cookie },
      });
    const answer = await offer();
    const row = model.rows[at] ?? null;
    if (row?.status === 'REVOKED') {
      expect(outcome(answer)).toBe(wrongToken);
      return;
    }
    expect(outcome(answer)).toBe('200');
    const id = String(answer.body['poly_user_id']);
    const known = [...model.holders, ...model.sessions.map(({ person }) => person)];
    if (row) expect(id).toBe(row.owner.id);
    else expect(known.map((person) => person.id)).not.toContain(id);
    const person = row?.owner ?? { id, kind: 'email' as const, adoptedBy: null };
    if (!row) model.rows[at] = { owner: person, status: 'ACTIVE', identityId: await idOf(id) };
    const token = String(answer.body['session_token']);
    model.sessions.push({ token, person, address: at, isLive: true });
    // A token that was used is no token.
    expect(outcome(await offer())).toBe(wrongToken);
  },
}));

async function idOf(polyUserId: string): Promise<number> {
  const { rows } = await raceDb().query<{ identity_id: number }>(
    'SELECT identity_id FROM login_emails WHERE poly_user_id = $1',
    [polyUserId],
  );
  expect(rows).toHaveLength(1);
  return rows[0]?.identity_id ?? 0;
}

const attach = fc.tuple(holder, address).map(([by, at]): Move => ({
  name: `attach(${by}, ${at})`,
  async take(model, { addresses, tokens }) {
    const caller = model.holders[by];
    const other = tokens[1 - by] ?? '';
    if (!caller) return;
    const mailed = await mailedToken(addresses[at] ?? '', 'attach', caller.id);
    const offer = (token: string) =>
      call('POST', '/v2/email/link/verify', {
        token,
        body: { token: mailed.token },
        headers: { cookie: mailed.cookie },
      });
    // Bound to the caller: in other hands it is nothing, and stays good.
    expect(outcome(await offer(other))).toBe(wrongToken);
    const answer = await offer(tokens[by] ?? '');
    const row = model.rows[at] ?? null;
    const isOthers = row !== null && rootOf(row.owner) !== caller && row.owner.kind === 'cert';
    if (isOthers) {
      expect(outcome(answer)).toBe('409 identity_owned');
      return;
    }
    expect(outcome(answer)).toBe('200');
    expect(answer.body).toMatchObject({ status: 'ACTIVE', poly_user_id: caller.id });
    const merged = row && row.owner.kind === 'email' ? row.owner : null;
    expect(answer.body['merged_poly_user_id']).toBe(merged?.id);
    if (row) expect(answer.body['identity_id']).toBe(row.identityId);
    else {
      const identityId = Number(answer.body['identity_id']);
      model.rows[at] = { owner: caller, status: 'ACTIVE', identityId };
    }
    if (row) row.status = 'ACTIVE';
    if (merged) adopt(model, merged, caller);
  },
}));

/** All that an email-only person has is the other's, and their sessions end. */
function adopt(model: Model, adopted: Person, by: Person): void {
  adopted.adoptedBy = by;
  for (const row of model.rows) if (row?.owner === adopted) row.owner = by;
  for (const session of model.sessions) if (session.person === adopted) session.isLive = false;
}

const revoke = fc.tuple(fc.nat({ max: 20 }), address).map(([who, at]): Move => ({
  name: `revoke(${who}, ${at})`,
  isMeant: ({ rows }) => Boolean(rows[at]),
  async take(model, { tokens, from }) {
    const row = model.rows[at];
    if (!row) return;
    const live = model.sessions.filter(({ isLive }) => isLive);
    const callers = [
      ...model.holders.map((person, place) => ({ person, token: tokens[place] ?? '' })),
      ...live,
    ];
    const caller = pick(callers, who);
    if (!caller) return;
    const path = `/v2/email/link/${row.identityId}`;
    const answer = await call('DELETE', path, { token: caller.token, headers: from });
    const isOwn = rootOf(row.owner) === rootOf(caller.person);
    const actives = model.rows.filter((one) => one?.owner === row.owner && one.status === 'ACTIVE');
    const isLast = row.owner.kind === 'email' && row.status === 'ACTIVE' && actives.length === 1;
    if (!isOwn) expect(outcome(answer)).toBe('404 not_found');
    else if (isLast) expect(outcome(answer)).toBe('409 last_login_email');
    else {
      expect([outcome(answer), answer.body['status']]).toEqual(['200', 'REVOKED']);
      row.status = 'REVOKED';
      for (const one of model.sessions) if (one.address === at) one.isLive = false;
    }
  },
}));

const stepUp = fc.tuple(fc.nat({ max: 20 }), holder).map(([which, by]): Move => ({
  name: `stepUp(${which}, ${by})`,
  isMeant: ({ sessions }) => sessions.length > 0,
  async take(model, { phones, from }) {
    const session = pick(model.sessions, which);
    const [phone, adopter] = [phones[by], model.holders[by]];
    if (!session || !phone || !adopter) return;
    const raw_jwt = await goodBundle(phone);
    const { token, person, isLive } = session;
    const answer = await call('POST', '/v2/session/step_up', {
      token,
      body: { raw_jwt },
      headers: from,
    });
    // Whose it has become decides before whether it is still on.
    if (!isLive && rootOf(person) === adopter) expect(outcome(answer)).toBe(wrongCredential);
    else if (!isLive) expect([wrongCredential, '409 identity_owned']).toContain(outcome(answer));
    else if (person !== adopter && person.kind === 'cert') {
      expect(outcome(answer)).toBe('409 identity_owned');
    } else {
      expect([outcome(answer), answer.body['auth_method']]).toEqual(['200', 'cert']);
      expect(answer.body['poly_user_id']).toBe(adopter.id);
      const adopted = person.kind === 'email' ? person : null;
      expect(answer.body['adopted_poly_user_id']).toBe(adopted?.id);
      if (adopted) adopt(model, adopted, adopter);
    }
  },
}));

/** What both people see of their addresses is what the model has. */
async function lists(model: Model, { tokens, addresses, from }: Real): Promise<void> {
  for (const [place, person] of model.holders.entries()) {
    const token = tokens[place] ?? '';
    const { body } = await call('GET', '/v2/email/link', { token, headers: from });
    const shown = (body['items'] as { email: string; status: string; poly_user_id: string }[]).map(
      ({ email, status, poly_user_id }) => [email, status, poly_user_id].join(' '),
    );
    const expected = model.rows.flatMap((row, at) =>
      row && rootOf(row.owner) === person ? [[addresses[at], row.status, person.id].join(' ')] : [],
    );
    expect(shown.toSorted()).toEqual(expected.toSorted());
  }
}

async function stage(): Promise<{ model: Model; real: Real }> {
  const { baseUrl } = ownPlatform();
  const deps = { db: raceDb(), keys: platformKeys(), ids: randomIds, baseUrl };
  const phones = await Promise.all([enrolledPhone(), enrolledPhone()]);
  const ids = phones.map(({ enrolled }) => enrolled?.polyUserId ?? '');
  const tokens = await Promise.all(ids.map((id) => newSession(deps, id, null, [], new Date())));
  const holders = ids.map((id): Person => ({ id, kind: 'cert', adoptedBy: null }));
  const addresses = [newMailbox(), newMailbox(), newMailbox()];
  return {
    model: { holders, rows: [null, null, null], sessions: [] },
    real: { phones, tokens, addresses, from: newAddress() },
  };
}

it('a login email goes from hand to hand as interface §3 has it, and in no other way', async () => {
  await holdModel([login, attach, login, revoke, stepUp, attach], stage, lists, alike);
});
