import fc from 'fast-check';
import { afterAll, expect, it } from 'vitest';
import { sealLoginEmail } from '../../../activities/identity/email/answer.ts';
import { newSession } from '../../../cli/data-directory/seed.ts';
import { transaction } from '../../../db/client.ts';
import { randomIds } from '../../../db/ids.ts';
import { addLoginEmail } from '../../../db/queries/login-emails.ts';
import { addMembership } from '../../../db/queries/seeding.ts';
import { readAddress } from '../../../domain/identity/email-address.ts';
import type { Role } from '../../../domain/names.ts';
import { enrolledPhone } from '../../support/checks/phone.ts';
import { call } from '../../support/http/client.ts';
import { goodBundle, platformKeys } from '../../support/keys/bundles.ts';
import { newAddress as newMailbox } from '../../support/people/mailbox.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';
import {
  bareAccount,
  closeRaceDb,
  mailedToken,
  raceDb,
  raceSealer,
} from '../../support/races/ground.ts';
import { newAddress } from '../../support/races/race.ts';
import { alike, holdModel, pick } from './model.ts';
import {
  adopt,
  looksSo,
  newPerson,
  peopleIn,
  rootOf,
  type Model,
  type Move,
  type Person,
  type Real,
} from './people.ts';
import { outcome } from './world.ts';

/*
 * Models the login emails of two people with a certified device and of any number without one. A
 * revoked address stays reserved, and no person loses their only way to sign in.
 */
const wrongToken = '401 email_token_invalid';
const codeRequired = '401 email_code_required';
const wrongCredential = '401 credential_invalid';

afterAll(closeRaceDb);

const address = fc.nat({ max: 2 });
const holder = fc.nat({ max: 1 });

/** `(no row) → login-eligible`, with an email-only person; a revoked address cannot sign in. */
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
    const person = row?.owner ?? newPerson(id, 'email');
    if (!row) model.rows[at] = { owner: person, status: 'ACTIVE', identityId: await idOf(id) };
    const token = String(answer.body['session_token']);
    model.sessions.push({ token, person, address: at, isLive: true });
    // A used token is not accepted.
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
  async take(model, { addresses, tokens, from }) {
    const caller = model.holders[by];
    const other = tokens[1 - by] ?? '';
    if (!caller) return;
    const mailed = await mailedToken(addresses[at] ?? '', 'attach', caller.id);
    const offer = (token: string) =>
      call('POST', '/v2/email/link/verify', {
        token,
        body: { token: mailed.token },
        headers: { ...from, cookie: mailed.cookie },
      });
    // Bound to the caller: another caller cannot use it, and it stays valid.
    expect(outcome(await offer(other))).toBe(wrongToken);
    const answer = await offer(tokens[by] ?? '');
    const row = model.rows[at] ?? null;
    // A revoked address may belong to another person by now, so it causes no adoption.
    const isKept = row?.owner.kind === 'cert' || row?.status === 'REVOKED';
    if (row && rootOf(row.owner) !== caller && isKept) {
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

const revoke = fc.tuple(fc.nat({ max: 40 }), address).map(([who, at]): Move => ({
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
    const own = callers.filter(({ person }) => rootOf(person) === rootOf(row.owner));
    // Half of the calls come from a caller who may do this.
    const caller = pick(who % 2 === 0 && own.length > 0 ? own : callers, who >> 1);
    if (!caller) return;
    const path = `/v2/email/link/${row.identityId}`;
    const answer = await call('DELETE', path, { token: caller.token, headers: from });
    // Their email sessions do not prove possession of their device.
    if (live.some((one) => one === caller) && rootOf(caller.person).kind === 'cert') {
      return expect(outcome(answer)).toBe('403 step_up_required');
    }
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
    // Adoption is checked before the end of the session.
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

/** Wrong uses of a mailed token by any caller; they change nothing. */
const misuses: Readonly<Record<string, (real: Real, at: string) => Promise<void>>> = {
  async 'too late'(real, at) {
    const then = new Date(Date.now() - 11 * 60_000);
    const { token, cookie } = await mailedToken(at, 'login', null, then);
    expect(await loginOf(real, { token }, cookie)).toBe(wrongToken);
  },
  async 'in another browser'(real, at) {
    const { token } = await mailedToken(at, 'login');
    expect(await loginOf(real, { token })).toBe(codeRequired);
  },
  async 'with guessed codes'(real, at) {
    const { token, code } = await mailedToken(at, 'login');
    for (let more = 1; more <= 5; more += 1) {
      const guess = String((Number(code) + more) % 1e6).padStart(6, '0');
      expect(await loginOf(real, { token, code: guess })).toBe(codeRequired);
    }
    expect(await loginOf(real, { token, code })).toBe(wrongToken);
  },
  async 'to attach what is to sign in'({ tokens: [token = ''], from }, at) {
    const mailed = await mailedToken(at, 'login');
    const headers = { ...from, cookie: mailed.cookie };
    const options = { token, body: { token: mailed.token }, headers };
    const answer = await call('POST', '/v2/email/link/verify', options);
    expect(outcome(answer)).toBe(wrongToken);
  },
  async 'to sign in by what is to attach'(real, at) {
    const { token, cookie } = await mailedToken(at, 'attach');
    expect(await loginOf(real, { token }, cookie)).toBe(wrongToken);
  },
};

async function loginOf(
  { from }: Real,
  body: { readonly token: string; readonly code?: string },
  cookie?: string,
): Promise<string> {
  const headers = { ...from, ...(cookie === undefined ? {} : { cookie }) };
  return outcome(await call('POST', '/v2/email/login/verify', { body, headers }));
}

const misuse = fc
  .tuple(fc.constantFrom(...Object.keys(misuses)), address)
  .map(([how, at]): Move => ({
    name: `misuse(${how}, ${at})`,
    take: async (_model, real) => misuses[how]?.(real, real.addresses[at] ?? ''),
  }));

/** An address verified elsewhere, as reported by a sign-in provider. */
const further = fc.tuple(fc.nat({ max: 20 }), address).map(([who, at]): Move => ({
  name: `further(${who}, ${at})`,
  isMeant: (model) => !model.rows[at] && emailOnly(model).length > 0,
  async take(model, { addresses }) {
    const owner = pick(emailOnly(model), who);
    const read = readAddress(addresses[at] ?? '');
    if (!owner || !read) return;
    const sealed = await sealLoginEmail(await raceSealer(), read);
    const row = { ...sealed, polyUserId: owner.id, verifiedAt: new Date() };
    const made = await transaction(raceDb(), (tx) => addLoginEmail(tx, row));
    model.rows[at] = { owner, status: 'ACTIVE', identityId: made?.identity_id ?? 0 };
  },
}));
const emailOnly = (model: Readonly<Model>): Person[] =>
  peopleIn(model).filter(({ kind }) => kind === 'email');

const join = fc
  .tuple(fc.nat({ max: 20 }), fc.constantFrom<Role[]>(['MEMBER'], ['REVIEWER', 'VIEWER']))
  .map(([who, roles]): Move => ({
    name: `join(${who}, ${roles.join('+')})`,
    async take(model, { account }) {
      const strangers = peopleIn(model).filter((person) => person.roles.length === 0);
      const person = pick(strangers, who);
      if (!person) return;
      await addMembership(raceDb(), [person.id, account.accountId, roles, new Date()]);
      person.roles = roles;
    },
  }));

/** Creates new people, who call from an unused address. */
async function stage(): Promise<{ model: Model; real: Real }> {
  const { baseUrl } = ownPlatform();
  const deps = { db: raceDb(), keys: platformKeys(), ids: randomIds, baseUrl };
  const from = newAddress();
  const phones = await Promise.all([enrolledPhone('ios', from), enrolledPhone('ios', from)]);
  const ids = phones.map(({ enrolled }) => enrolled?.polyUserId ?? '');
  const tokens = await Promise.all(ids.map((id) => newSession(deps, id, null, [], new Date())));
  const holders = ids.map((id) => newPerson(id, 'cert'));
  const addresses = [newMailbox(), newMailbox(), newMailbox()];
  return {
    model: { holders, rows: [null, null, null], sessions: [] },
    real: { phones, tokens, addresses, from, account: await bareAccount() },
  };
}

it('a login email changes only as its state machine allows', async () => {
  const usual = [login, login, login, attach, attach, revoke, revoke, revoke, stepUp, stepUp];
  await holdModel([...usual, misuse, further, further, join], stage, looksSo, alike);
});
