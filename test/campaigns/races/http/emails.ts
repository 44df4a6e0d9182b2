import { expect } from 'vitest';
import { call, type Answer } from '../../../support/http/client.ts';
import { emailSession, newEmailUser, signInBy } from '../../../support/people/email-users.ts';
import { newAddress as newMailbox } from '../../../support/people/mailbox.ts';
import {
  bareAccount,
  certPerson,
  countRows,
  inTurn,
  mailedToken,
  raceDb,
  rowOf,
  type MailedToken,
} from '../../../support/races/ground.ts';
import { atOnce, expectFates, newAddress, told, type Race } from '../../../support/races/race.ts';

type Round = Readonly<Record<string, string>>;

/** Submits a token, in the requesting browser by default. */
function logIn(round: Round, { token, cookie }: MailedToken, more: object = {}): Promise<Answer> {
  const headers = 'code' in more ? round : { ...round, cookie };
  return call('POST', '/v2/email/login/verify', { body: { token, ...more }, headers });
}

function attach(by: string, { token, cookie }: MailedToken): Promise<Answer> {
  return call('POST', '/v2/email/link/verify', { token: by, body: { token }, headers: { cookie } });
}

const emailsOf = (polyUserId: unknown): Promise<number> =>
  countRows('SELECT 1 FROM login_emails WHERE poly_user_id = $1', [polyUserId]);
const invalid = '401 email_token_invalid';

const loginToken: Race = {
  name: 'email-login-token',
  rule: 'a mailed token signs in once',
  statements: ['email_requests.lock_by_token', 'email_requests.consume'],
  prepare: async () => async (callers) => {
    const mailed = await mailedToken(newMailbox(), 'login');
    const round = newAddress();
    const answers = await atOnce(callers, () => logIn(round, mailed));
    const outcomes = answers.map(told);
    expectFates(outcomes, { 200: 1, [invalid]: callers - 1 });
    const id = answers.find(({ status }) => status === 200)?.body['poly_user_id'];
    expect(await emailsOf(id)).toBe(1);
    const sessions = 'SELECT 1 FROM sessions WHERE poly_user_id = $1';
    expect(await countRows(sessions, [id])).toBe(1);
    return outcomes;
  },
};

const codeGuesses: Race = {
  name: 'email-code-guesses',
  rule: 'five guesses of the code of another browser meet it, and the right one comes too late',
  statements: ['email_requests.lock_by_token'],
  prepare: async () => async (callers) => {
    const mailed = await mailedToken(newMailbox(), 'login');
    const round = newAddress();
    const code = mailed.code === '000000' ? '000001' : '000000';
    const outcomes = (await atOnce(callers, () => logIn(round, mailed, { code }))).map(told);
    const met = Math.min(callers, 5);
    expectFates(outcomes, { '401 email_code_required': met, [invalid]: callers - met });
    const right = await logIn(round, mailed, { code: mailed.code });
    expect(told(right)).toBe(callers < 5 ? '200' : invalid);
    const tries = 'SELECT code_tries FROM email_requests WHERE request_id = $1';
    expect(await rowOf(tries, [mailed.requestId])).toEqual({ code_tries: met });
    return outcomes;
  },
};

const firstLogin: Race = {
  name: 'email-first-login',
  rule: 'an address nobody has becomes one person, whoever of many proves it first',
  statements: ['login_emails.hold_new', 'login_emails.insert', 'poly_users.add_email_only'],
  prepare: async () => async (callers) => {
    const email = newMailbox();
    const mailed = await inTurn(callers, () => mailedToken(email, 'login'));
    const round = newAddress();
    const answers = await Promise.all(mailed.map((one) => logIn(round, one)));
    const outcomes = answers.map(told);
    expectFates(outcomes, { 200: callers });
    const ids = new Set(answers.map(({ body }) => body['poly_user_id']));
    expect(ids.size).toBe(1);
    expect(await emailsOf([...ids][0])).toBe(1);
    return outcomes;
  },
};

const attachToken: Race = {
  name: 'email-attach-token',
  rule: 'a mailed token attaches its address once',
  statements: ['email_requests.lock_by_token', 'login_emails.lock_by_address'],
  prepare: async () => async (callers) => {
    const person = await certPerson(null);
    const mailed = await mailedToken(newMailbox(), 'attach', person.id);
    const outcomes = (await atOnce(callers, () => attach(person.token, mailed))).map(told);
    expectFates(outcomes, { 200: 1, [invalid]: callers - 1 });
    expect(await emailsOf(person.id)).toBe(1);
    return outcomes;
  },
};

const attachRivals: Race = {
  name: 'email-attach-rivals',
  rule: 'of many who prove the address of an email-only person one has them adopted, with all theirs',
  statements: ['poly_users.lock', 'login_emails.lock_by_address', 'poly_users.adopt'],
  async prepare() {
    const { accountId } = await bareAccount();
    return async (callers) => {
      const email = newMailbox();
      const user = await newEmailUser(raceDb(), { [accountId]: ['MEMBER'] });
      const { identityId } = await signInBy(raceDb(), email);
      await raceDb().query('UPDATE login_emails SET poly_user_id = $2 WHERE identity_id = $1', [
        identityId,
        user.polyUserId,
      ]);
      const rivals = await inTurn(callers, async () => {
        const person = await certPerson(null);
        return { ...person, mailed: await mailedToken(email, 'attach', person.id) };
      });
      const answers = await Promise.all(rivals.map(({ token, mailed }) => attach(token, mailed)));
      const outcomes = answers.map(told);
      expectFates(outcomes, { 200: 1 }, ['409 identity_owned', '503 dependency_unavailable']);
      const winner = rivals[answers.findIndex(({ status }) => status === 200)]?.id;
      const { rows } = await raceDb().query(
        `SELECT u.adopted_by, e.poly_user_id AS owner, m.poly_user_id AS member
         FROM poly_users u, login_emails e, memberships m
         WHERE u.poly_user_id = $1 AND e.identity_id = $2 AND m.account_id = $3
           AND m.poly_user_id = ANY ($4)`,
        [user.polyUserId, identityId, accountId, [user.polyUserId, ...rivals.map(({ id }) => id)]],
      );
      expect(rows).toEqual([{ adopted_by: winner, owner: winner, member: winner }]);
      return outcomes;
    };
  },
};

const invitation: Race = {
  name: 'invitation-taken',
  rule: 'the place of an invited address becomes one membership, however often it is accepted',
  statements: ['invited_addresses.take', 'poly_users.adopt'],
  async prepare() {
    const { accountId, key } = await bareAccount();
    return async (callers) => {
      const email = newMailbox();
      const path = `/v2/accounts/${accountId}/members`;
      const made = await call('POST', path, { token: key, body: { email, roles: ['MEMBER'] } });
      const { poly_user_id: place } = made.body;
      const { polyUserId: id } = await signInBy(raceDb(), email);
      const token = await emailSession(raceDb(), id);
      const accept = () => call('POST', `/v2/accounts/${accountId}/accept`, { token });
      const outcomes = (await Promise.all(Array.from({ length: callers }, accept))).map(told);
      // A call between taking the place and its commit finds neither.
      expectFates(outcomes, {}, ['200', '404 not_found']);
      expect(outcomes).toContain('200');
      const held = 'SELECT poly_user_id FROM memberships WHERE account_id = $1 AND poly_user_id = ';
      expect(await countRows(`${held} $2`, [accountId, id])).toBe(1);
      expect(await countRows(`${held} $2`, [accountId, place])).toBe(0);
      const noted = `SELECT 1 FROM audit_rows WHERE account_id = $1 AND object_id = $2
        AND action = 'member.adopted'`;
      expect(await countRows(noted, [accountId, id])).toBe(1);
      return outcomes;
    };
  },
};

export const emailRaces: readonly Race[] = [
  loginToken,
  codeGuesses,
  firstLogin,
  attachToken,
  attachRivals,
  invitation,
];
