import { afterAll, describe, expect, it } from 'vitest';
import { authenticateSession, forgetSessions } from '../../../api/http/auth/credentials/session.ts';
import { enroll, enrolledPhone, newPhone } from '../../support/checks/phone.ts';
import { call, type Answer } from '../../support/http/client.ts';
import { goodBundle, platformKeys, portalLogin } from '../../support/keys/bundles.ts';
import { emailSession, newEmailUser } from '../../support/people/email-users.ts';
import { sidOf } from '../../support/people/sid-of.ts';
import { openTestDb } from '../../support/platform/harness.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';
import { productionSettings } from '../../support/platform/second-api.ts';

const { databaseUrl, own, foreign } = ownPlatform();
const db = openTestDb(databaseUrl);
afterAll(() => db.end());

const both = { [own.account_id]: ['MEMBER'], [foreign.account_id]: ['VIEWER'] } as const;
const list = (token: string, query = ''): Promise<Answer> =>
  call('GET', `/v2/sessions${query}`, { token });
const signOut = (token: string, body: unknown = {}): Promise<Answer> =>
  call('POST', '/v2/session/sign_out', { token, body });
const end = (token: string, sid: string): Promise<Answer> =>
  call('DELETE', `/v2/sessions/${sid}`, { token });
const told = ({ status, body }: Answer): unknown[] => [status, body['code']];
const sidsOf = ({ body }: Answer): string[] =>
  (body['items'] as { sid: string }[]).map(({ sid }) => sid);
const over = [401, 'credential_invalid'];

/** Returns a person with one unlimited session and one limited to an account. */
async function withPart() {
  const { polyUserId, token } = await newEmailUser(db, both);
  const part = await emailSession(db, polyUserId, both, { confinedTo: own.account_id });
  return { polyUserId, token, part };
}

describe('session.list', () => {
  it('lists the active sessions of a person, newest first', async () => {
    const device = await newPhone();
    await enroll(device, { device_name: 'My phone' });
    const login = await portalLogin(await goodBundle(device));
    const { poly_user_id: id, session_token, expires_at } = login.body;
    const [byPhone, userId] = [String(session_token), String(id)];
    const memberships = { [own.account_id]: ['MEMBER'] } as const;
    const confinedTo = { confinedTo: own.account_id };
    const part = await emailSession(db, userId, memberships, confinedTo);
    const notAfter = new Date(Date.now() - 1000);
    const [expired, revoked] = [
      await emailSession(db, userId, {}, { notAfter }),
      await emailSession(db, userId),
    ];
    await db.query('UPDATE sessions SET revoked_at = now() WHERE sid = $1', [sidOf(revoked)]);
    const { status, body } = await list(byPhone);
    expect([status, body['total'], body['page'], body['pages']]).toEqual([200, 2, 1, 1]);
    expect(JSON.stringify(body)).not.toContain(sidOf(expired));
    const rest = { created_at: expect.any(String), expires_at: expect.any(String) };
    expect(body['items']).toEqual([
      {
        sid: sidOf(part),
        auth_method: 'email',
        account_id: own.account_id,
        confined_to: own.account_id,
        device_id: null,
        device_label: null,
        ...rest,
        current: false,
      },
      {
        sid: sidOf(byPhone),
        auth_method: 'cert',
        account_id: null,
        confined_to: null,
        device_id: device.enrolled?.deviceId,
        device_label: 'My phone',
        ...rest,
        expires_at,
        current: true,
      },
    ]);
    const [first, second] = [
      await list(byPhone, '?page_size=1'),
      await list(byPhone, '?page_size=1&page=2'),
    ];
    expect([...sidsOf(first), ...sidsOf(second)]).toEqual([sidOf(part), sidOf(byPhone)]);
    expect(first.body['pages']).toBe(2);
  });

  it('shows the current account after a switch', async () => {
    const { token } = await newEmailUser(db, both);
    const accountOf = async (): Promise<unknown> =>
      ((await list(token)).body['items'] as { account_id: number }[])[0]?.account_id;
    expect(await accountOf()).toBe(own.account_id);
    const body = { account_id: foreign.account_id };
    const moved = await call('POST', '/v2/session/switch_account', { token, body });
    expect(moved.status).toBe(200);
    expect(await accountOf()).toBe(foreign.account_id);
  });
});

describe('session.signOut', () => {
  it.each([
    ['no body', undefined],
    ['an empty one', {}],
    ['one', { everywhere: false }],
  ] as const)(
    'ends every token of the session and no other session: with %s',
    async (_name, body) => {
      const { polyUserId, token } = await newEmailUser(db, both);
      const other = await emailSession(db, polyUserId);
      const asked = { token, body: { account_id: foreign.account_id } };
      const switched = await call('POST', '/v2/session/switch_account', asked);
      const there = String(switched.body['session_token']);
      // Both tokens are cached as valid now.
      expect([(await list(token)).status, (await list(there)).status]).toEqual([200, 200]);
      const { status, text } = await call('POST', '/v2/session/sign_out', {
        token: there,
        ...(body === undefined ? {} : { body }),
      });
      expect([status, text]).toEqual([204, '']);
      expect([told(await list(token)), told(await list(there))]).toEqual([over, over]);
      expect(told(await signOut(token))).toEqual(over);
      expect(sidsOf(await list(other))).toEqual([sidOf(other)]);
    },
  );

  it('everywhere ends all sessions of the person and no others', async () => {
    const { token, part, polyUserId } = await withPart();
    const [stranger, third] = [await newEmailUser(db), await emailSession(db, polyUserId)];
    expect((await signOut(token, { everywhere: true })).status).toBe(204);
    for (const each of [token, part, third]) expect(told(await list(each))).toEqual(over);
    expect((await list(stranger.token)).status).toBe(200);
  });

  it('everywhere ends nothing with an ended session, which an adopter now owns', async () => {
    const { token } = await newEmailUser(db);
    const phone = await enrolledPhone();
    // The session is cached as valid now and for a while.
    expect((await list(token)).status).toBe(200);
    const body = { raw_jwt: await goodBundle(phone) };
    const raised = await call('POST', '/v2/session/step_up', { token, body });
    expect([raised.status, raised.body['poly_user_id']]).toEqual([200, phone.enrolled?.polyUserId]);
    expect(told(await signOut(token, { everywhere: true }))).toEqual(over);
    expect((await list(String(raised.body['session_token']))).status).toBe(200);
  });

  it('is not undone by a concurrent read that caches the session as active', async () => {
    const { token } = await newEmailUser(db);
    const deps = { db, keys: platformKeys(), settings: productionSettings() };
    const read = () => authenticateSession(deps, token, new Date());
    const reading = read();
    forgetSessions([sidOf(token)]);
    expect((await reading).sid).toBe(sidOf(token));
    await db.query('UPDATE sessions SET revoked_at = now() WHERE sid = $1', [sidOf(token)]);
    await expect(read()).rejects.toMatchObject({ code: 'credential_invalid' });
  });

  it.each([{ everywhere: 'yes' }, { everywhere: null }, [], 'x'])(
    'rejects %j and ends no session',
    async (body) => {
      const { token } = await newEmailUser(db);
      expect((await signOut(token, body)).status).toBe(422);
      expect((await list(token)).status).toBe(200);
    },
  );
});

describe('session.end', () => {
  it('ends another session of the person, also repeatedly, or the calling one', async () => {
    const { polyUserId, token } = await newEmailUser(db);
    const other = await emailSession(db, polyUserId);
    expect((await list(other)).body['total']).toBe(2);
    const [first, again] = [await end(token, sidOf(other)), await end(token, sidOf(other))];
    expect([first.status, again.status, first.text]).toEqual([204, 204, '']);
    expect(told(await list(other))).toEqual(over);
    expect(sidsOf(await list(token))).toEqual([sidOf(token)]);
    expect((await end(token, sidOf(token))).status).toBe(204);
    expect(told(await list(token))).toEqual(over);
  });

  it('keeps the time of the first end', async () => {
    const { polyUserId, token } = await newEmailUser(db);
    const sid = sidOf(await emailSession(db, polyUserId));
    const endedAt = async (): Promise<unknown> =>
      (await db.query('SELECT revoked_at FROM sessions WHERE sid = $1', [sid])).rows;
    await end(token, sid);
    const first = await endedAt();
    await end(token, sid);
    await signOut(token, { everywhere: true });
    expect(await endedAt()).toEqual(first);
  });

  it('returns the same 404 for foreign and unknown sessions', async () => {
    const [mine, theirs] = [await newEmailUser(db, both), await newEmailUser(db, both)];
    const [foreignOne, unknown] = [
      await end(mine.token, sidOf(theirs.token)),
      await end(mine.token, `sid_${'0'.repeat(26)}`),
    ];
    expect([told(foreignOne), told(unknown)]).toEqual([
      [404, 'not_found'],
      [404, 'not_found'],
    ]);
    expect(foreignOne.body['detail']).toBe(unknown.body['detail']);
    expect((await list(theirs.token)).status).toBe(200);
    expect((await end(mine.token, 'nonsense')).status).toBe(422);
  });
});

describe('a session limited to one account', () => {
  it('can list and end only itself', async () => {
    const { token, part } = await withPart();
    expect(sidsOf(await list(part))).toEqual([sidOf(part)]);
    expect((await list(part)).body['total']).toBe(1);
    expect(told(await end(part, sidOf(token)))).toEqual([404, 'not_found']);
    expect((await signOut(part, { everywhere: true })).status).toBe(204);
    expect(told(await list(part))).toEqual(over);
    expect(sidsOf(await list(token))).toEqual([sidOf(token)]);
  });

  it('can be ended by its own id and by an unlimited session of its person', async () => {
    const { token, part } = await withPart();
    expect(sidsOf(await list(token)).toSorted()).toEqual([sidOf(token), sidOf(part)].toSorted());
    expect((await end(token, sidOf(part))).status).toBe(204);
    expect(told(await list(part))).toEqual(over);
    const second = await withPart();
    expect((await end(second.part, sidOf(second.part))).status).toBe(204);
    expect((await list(second.token)).body['total']).toBe(1);
  });
});
