import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Role } from '../../../domain/names.ts';
import type { Device } from '../../../simulator/device/device.ts';
import { enrolledPhone } from '../../support/checks/phone.ts';
import type { Answer } from '../../support/http/client.ts';
import { goodBundle } from '../../support/keys/bundles.ts';
import { signInBy } from '../../support/people/email-users.ts';
import { newAddress as newMailbox } from '../../support/people/mailbox.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';
import { bareAccount, closeRaceDb, mailedToken, raceDb } from '../../support/races/ground.ts';
import { alike, holdModel, nothing, pick, type Step } from './model.ts';
import type { Model, Real, Session, Token } from './session-model.ts';
import { openWorld, outcome, refusalOf, type World } from './world.ts';

/**
 * The sessions of one person in two accounts. A switch keeps
 * assurance and end; a step-up does not extend the end either. A session from a bundle for an
 * account stays in that account. Roles are those of the store when a token is minted. A token is
 * valid as long as its session, its membership and its time.
 */
type Move = Step<Model, Real>;

const lifeMs = { cert: 3600_000, email: 12 * 3600_000 } as const;
/** An API caches the state of a session for half a minute. */
const believedMs = 31_000;
const wrong = '401 credential_invalid';

let world: World;
let phone: Device;
beforeAll(async () => {
  [world, phone] = [await openWorld(), await enrolledPhone()];
});
afterAll(async () => {
  await world.stop();
  await closeRaceDb();
});
const personId = (): string => phone.enrolled?.polyUserId ?? '';

const place = fc.nat({ max: 1 });
const which = fc.nat({ max: 30 });
const roleSet = fc.constantFrom<Role[]>(['VIEWER'], ['MEMBER'], ['VIEWER', 'REVIEWER']);

function isGood({ held, nowMs }: Model, { session, endsAtMs, account, roles }: Token): boolean {
  if (session.isRevoked || nowMs >= endsAtMs) return false;
  return account === null || roles.every((role) => held[account]?.includes(role) ?? false);
}

const isWhole = (model: Model, by: Token): boolean => by.session.only === null && isGood(model, by);

/** The default account of a session: the one joined first. */
const firstOf = ({ joined }: Model): number | null => joined[0] ?? null;

/** A device proof counts for 15 minutes; steps take seconds, waits take longer. */
const isProved = ({ method, authTime }: Token, { now }: Real): boolean =>
  method === 'cert' && now().getTime() - authTime * 1000 < 15 * 60_000;

const mayBeIn = ({ only }: Session, at: number): boolean => only === null || only === at;

/** Compares a new token with its prediction, and keeps it. */
function keep(
  model: Model,
  { accounts, now }: Real,
  { body, status }: Answer,
  { account, ...due }: Pick<Token, 'method' | 'account' | 'session'> & Partial<Token>,
): void {
  expect(status).toBe(200);
  const roles = account === null ? [] : [...(model.held[account] ?? [])];
  expect(body).toMatchObject({
    auth_method: due.method,
    poly_user_id: personId(),
    account_id: account === null ? null : accounts[account]?.accountId,
    roles,
    accounts: model.joined.flatMap((at) =>
      model.held[at] && mayBeIn(due.session, at)
        ? [{ account_id: accounts[at]?.accountId, roles: model.held[at] }]
        : [],
    ),
  });
  const [, text = ''] = String(body['session_token']).split('.');
  const claims = JSON.parse(Buffer.from(text, 'base64url').toString()) as Record<string, unknown>;
  const expiresAt = String(body['expires_at']);
  const acr = `urn:trustcheck:assurance:${due.method}`;
  expect(claims).toMatchObject({ auth_method: due.method, acr, roles, sub: personId() });
  // All tokens of a session have the same authentication time.
  if (due.authTime !== undefined) expect(claims['auth_time']).toBe(due.authTime);
  expect(new Date(Number(claims['exp']) * 1000).toISOString()).toBe(expiresAt);
  const lateMs = Math.abs(Date.parse(expiresAt) - now().getTime() - lifeMs[due.method]);
  if (due.expiresAt) expect(expiresAt).toBe(due.expiresAt);
  else expect(lateMs).toBeLessThan(20_000);
  model.tokens.push({
    endsAtMs: model.nowMs + lifeMs[due.method],
    expiresAt,
    ...due,
    token: String(body['session_token']),
    authTime: Number(claims['auth_time']),
    account,
    roles,
  });
}

const emailLogin = fc.constant<Move>({
  name: 'emailLogin',
  async take(model, real) {
    const mailed = await mailedToken(real.email, 'login', null, real.now());
    const answer = await real.ask('POST', '/v2/email/login/verify', {
      body: { token: mailed.token },
      headers: { cookie: mailed.cookie },
    });
    if (!model.isEmailActive) expect(outcome(answer)).toBe('401 email_token_invalid');
    else {
      const session = { isRevoked: false, isByEmail: true, only: null };
      keep(model, real, answer, { method: 'email', account: firstOf(model), session });
    }
  },
});

/** Returns a bundle for the platform, or for an account. */
function bundleFor({ accounts, now }: Real, at: number | null): Promise<string> {
  const { baseUrl } = ownPlatform();
  const audience = at === null ? baseUrl : `${baseUrl}/accounts/${accounts[at]?.accountId ?? 0}`;
  return goodBundle(phone, { now: now(), audience });
}

const somewhere = fc.option(place, { nil: null });
const portalLogin = fc.tuple(somewhere, somewhere).map(([at, only]): Move => ({
  name: `portalLogin(${at}, bundle for ${only})`,
  async take(model, real) {
    const raw_jwt = await bundleFor(real, only);
    const named = at === null ? {} : { account_id: real.accounts[at]?.accountId };
    const answer = await real.ask('POST', '/portal_login', { body: { raw_jwt, ...named } });
    const account = only ?? at;
    const isOneWord = at === null || at === account;
    if (!isOneWord || (account !== null && !model.held[account])) {
      expect(outcome(answer)).toBe(wrong);
    } else {
      const session = { isRevoked: false, isByEmail: false, only };
      keep(model, real, answer, { method: 'cert', account: account ?? firstOf(model), session });
    }
    // The bundle is spent, whatever the result.
    const again = await real.ask('POST', '/portal_login', { body: { raw_jwt } });
    expect(outcome(again)).toBe(wrong);
  },
}));

const switchTo = fc.tuple(which, place).map(([one, at]): Move => ({
  name: `switch(${one}, ${at})`,
  isMeant: ({ tokens }) => tokens.length > 0,
  async take(model, real) {
    const by = pick(model.tokens, one);
    if (!by) return;
    const { token, method, session, endsAtMs, expiresAt, authTime } = by;
    const body = { account_id: real.accounts[at]?.accountId };
    const answer = await real.ask('POST', '/v2/session/switch_account', { token, body });
    if (!isGood(model, by)) expect(outcome(answer)).toBe(refusalOf(model, by));
    else if (!model.held[at] || !mayBeIn(session, at)) {
      expect(outcome(answer)).toBe('401 membership_required');
    } else
      keep(model, real, answer, { method, session, endsAtMs, expiresAt, authTime, account: at });
  },
}));

const stepUp = fc.tuple(which, somewhere).map(([one, only]): Move => ({
  name: `stepUp(${one}, bundle for ${only})`,
  isMeant: ({ tokens }) => tokens.length > 0,
  async take(model, real) {
    const by = pick(model.tokens, one);
    if (!by) return;
    const raw_jwt = await bundleFor(real, only);
    const options = { token: by.token, body: { raw_jwt } };
    const answer = await real.ask('POST', '/v2/session/step_up', options);
    if (!isGood(model, by)) expect(outcome(answer)).toBe(refusalOf(model, by));
    else if (only !== null && (!model.held[only] || !mayBeIn(by.session, only))) {
      expect(outcome(answer)).toBe(wrong);
    } else {
      const isThere = by.account !== null && model.held[by.account];
      const confined = by.session.only ?? only;
      const session = { isRevoked: false, isByEmail: false, only: confined };
      const account = confined ?? (isThere ? by.account : firstOf(model));
      const usualMs = model.nowMs + lifeMs.cert;
      const endsAtMs = Math.min(usualMs, by.endsAtMs);
      // The earlier steps took seconds, so close ends are not compared.
      const bound = endsAtMs < usualMs - 15_000 ? { expiresAt: by.expiresAt } : {};
      keep(model, real, answer, { method: 'cert', account, session, endsAtMs, ...bound });
    }
  },
}));

const use = which.map((one): Move => ({
  name: `use(${one})`,
  isMeant: ({ tokens }) => tokens.length > 0,
  async take(model, { ask }) {
    const by = pick(model.tokens, one);
    if (!by) return;
    const answer = await ask('GET', '/v2/devices', { token: by.token });
    const good = by.session.only === null ? '200' : '403 own_sign_in_required';
    expect(outcome(answer)).toBe(isGood(model, by) ? good : refusalOf(model, by));
  },
}));

const setRoles = fc.tuple(place, fc.option(roleSet, { nil: null })).map(([at, roles]): Move => ({
  name: `setRoles(${at}, ${roles?.join('+') ?? 'none'})`,
  isMeant: (model) =>
    Boolean(model.held[at]) || (roles !== null && model.tokens.some((by) => isWhole(model, by))),
  async take(model, real) {
    const { accountId, key: token } = real.accounts[at] ?? { accountId: 0, key: '' };
    const members = `/v2/accounts/${accountId}/members`;
    const isMember = Boolean(model.held[at]);
    const answer = !roles
      ? await real.ask('DELETE', `${members}/${personId()}`, { token })
      : isMember
        ? await real.ask('PATCH', `${members}/${personId()}`, { token, body: { roles } })
        : await real.ask('POST', members, {
            token,
            body: { roles, poly_user_id: personId() },
          });
    expect(answer.status).toBe(roles && !isMember ? 201 : 200);
    if (roles && !isMember) {
      const { token: by = '' } = model.tokens.find((one) => isWhole(model, one)) ?? {};
      const accepted = await real.ask('POST', `/v2/accounts/${accountId}/accept`, { token: by });
      expect(accepted.status).toBe(200);
    }
    model.held[at] = roles;
    const others = model.joined.filter((one) => one !== at);
    if (!isMember || !roles) model.joined = roles ? [...others, at] : others;
    pass(model, real, believedMs);
  },
}));

const revokeEmail = which.map((one): Move => ({
  name: `revokeEmail(${one})`,
  isMeant: (model) => model.isEmailActive && model.tokens.some((by) => isWhole(model, by)),
  async take(model, real) {
    const good = model.tokens.filter((by) => isWhole(model, by));
    const by = pick(good, one);
    if (!by) return;
    const path = `/v2/email/link/${real.identityId}`;
    const answer = await real.ask('DELETE', path, { token: by.token });
    if (!isProved(by, real)) return expect(outcome(answer)).toBe('403 step_up_required');
    expect([answer.status, answer.body['status']]).toEqual([200, 'REVOKED']);
    model.isEmailActive = false;
    for (const { session } of model.tokens) if (session.isByEmail) session.isRevoked = true;
    pass(model, real, believedMs);
  },
}));

const wait = fc.constantFrom(20 * 60_000, 20 * 60_000, 6 * 3600_000).map((ms): Move => ({
  name: `wait(${ms / 60_000} min)`,
  take: async (model, real) => pass(model, real, ms),
}));

function pass(model: Model, { advance }: Real, ms: number): void {
  model.nowMs += ms;
  advance(ms);
}

/** Uses the same person each time, with new accounts and a new address. */
async function stage(): Promise<{ model: Model; real: Real }> {
  world.reset();
  const db = raceDb();
  // Deletes earlier data, because lists show only a part of hundreds of addresses.
  for (const held of ['memberships', 'sessions', 'login_emails']) {
    await db.query(`DELETE FROM ${held} WHERE poly_user_id = $1`, [personId()]);
  }
  const accounts = [await bareAccount(), await bareAccount()];
  const email = newMailbox();
  const { identityId } = await signInBy(db, email);
  const give = 'UPDATE login_emails SET poly_user_id = $2 WHERE identity_id = $1';
  await db.query(give, [identityId, personId()]);
  const roles: Role[] = ['MEMBER'];
  await db.query(
    `INSERT INTO memberships (poly_user_id, account_id, roles, created_at)
     VALUES ($1, $2, $3, now())`,
    [personId(), accounts[0]?.accountId, roles],
  );
  return {
    model: { tokens: [], held: [roles, null], joined: [0], isEmailActive: true, nowMs: 0 },
    real: { ...world, email, identityId, accounts },
  };
}

it('a session never has more rights or a longer life than its login gave', async () => {
  const steps = [emailLogin, portalLogin, switchTo, switchTo, stepUp, use, setRoles, revokeEmail];
  await holdModel([...steps, wait, use], stage, nothing, alike);
});
