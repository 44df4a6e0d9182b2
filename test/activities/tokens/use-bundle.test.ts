import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openSession } from '../../../activities/tokens/open-session.ts';
import { readSessionToken } from '../../../activities/tokens/session-token.ts';
import { useBundle, verifyBundle } from '../../../activities/tokens/verify-bundle.ts';
import type { Queryable } from '../../../db/client.ts';
import { randomIds } from '../../../db/ids.ts';
import { addSessionOnce } from '../../../db/queries/credentials.ts';
import { listMemberships } from '../../../db/queries/memberships.ts';
import { addMembership } from '../../../db/queries/seeding.ts';
import { spendToken } from '../../../db/queries/spent-tokens.ts';
import { assertRule } from '../../../domain/tokens/bundle-refused.ts';
import { TokenRefused } from '../../../domain/tokens/token-refused.ts';
import type { Device } from '../../../simulator/device/device.ts';
import { enrolledPhone } from '../../support/checks/phone.ts';
import { changedBundle, goodBundle, platformKeys } from '../../support/keys/bundles.ts';
import { openTestDb } from '../../support/platform/harness.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';
import { wrongBundles } from '../../support/wrong-bundles/all.ts';

const { baseUrl, databaseUrl, own } = ownPlatform();
const keys = platformKeys();
const db = openTestDb(databaseUrl);
const deps = { db, keys, baseUrl };
let phone: Device;
let id: string;

beforeAll(async () => {
  phone = await enrolledPhone('ios');
  id = phone.enrolled?.polyUserId ?? '';
});
afterAll(() => db.end());

const ruleOf = async (work: Promise<unknown>): Promise<string | null> => {
  try {
    await work;
    return null;
  } catch (error) {
    if (error instanceof TokenRefused) return error.rule;
    throw error;
  }
};
const verify = (token: string, now = new Date()) => ruleOf(verifyBundle(deps, token, now));
/** Uses a bundle with a use that only spends its token. */
const use = (token: string, now = new Date()) =>
  ruleOf(
    useBundle(deps, token, now, async (_bundle, _memberships, { jti, keptUntil }) =>
      assertRule('jti', await spendToken(db, jti, keptUntil, now)),
    ),
  );
const seconds = (count: number): Date => new Date(Date.now() + count * 1000);

describe('useBundle', () => {
  it('rejects each wrong bundle by the rule of its verification', async () => {
    const wrong = await wrongBundles(phone, await enrolledPhone('android'));
    const found: [string, string | null][] = [];
    for (const { what, token } of wrong) found.push([what, await use(token)]);
    expect(found).toEqual(wrong.map(({ what, rule }) => [what, rule]));
  });

  it.each([
    ['verified', verify],
    ['used', use],
  ])('spends a bundle that a later rule refuses: one that is %s', async (_what, way) => {
    const [now, ahead] = [new Date(), seconds(300)];
    const made = [
      ['lifetime', changedBundle(phone, { now: ahead })],
      ['verified_claims', changedBundle(phone, { claims: { verified_claims: {} } })],
      ['acr', changedBundle(phone, { claims: { acr: 'urn:other' } })],
    ] as const;
    for (const [rule, token] of made) {
      expect(await way(token, now)).toBe(rule);
      expect(await way(token, now)).toBe('jti');
      // By then its lifetime has begun.
      for (const again of [verify, use]) expect(await again(token, ahead)).toBe('jti');
    }
  });

  it('spends a bundle when its use is refused, but not after another failure', async () => {
    const token = await goodBundle(phone);
    const failing = useBundle(deps, token, new Date(), () => Promise.reject(new Error('away')));
    await expect(failing).rejects.toThrow('away');
    const refusing = useBundle(deps, token, new Date(), async () => assertRule('account', false));
    expect(await ruleOf(refusing)).toBe('account');
    expect(await use(token)).toBe('jti');
  });

  it('reports the accounts and roles of the subject', async () => {
    const told = async () =>
      useBundle(deps, await goodBundle(phone), new Date(), async (_bundle, held) => held);
    expect(await told()).toEqual([]);
    const roles = ['MEMBER', 'ADMIN', 'no role'];
    await addMembership(db, [id, own.account_id, roles, new Date()]);
    const held = await told();
    expect(held).toEqual([
      { account_id: own.account_id, name: expect.any(String), roles: ['MEMBER', 'ADMIN'] },
    ]);
    expect(await listMemberships(db, id)).toEqual(held);
    await db.query(`UPDATE memberships SET managed_by = 'groups' WHERE poly_user_id = $1`, [id]);
    expect(await told()).toEqual([]);
    await db.query('DELETE FROM memberships WHERE poly_user_id = $1', [id]);
  });

  it('opens a session with two database queries', async () => {
    const asked: unknown[] = [];
    const query = (given: { name?: string }): unknown => {
      asked.push(given.name);
      return db.query(given as never);
    };
    const on = { query } as unknown as Queryable;
    const now = new Date();
    const opening = { on, tokens: keys.tokens, issuer: baseUrl, ids: randomIds };
    const { token } = await useBundle(
      { ...deps, db: on },
      await goodBundle(phone),
      now,
      ({ polyUserId, authTime }, _memberships, spending) => {
        const proved = { polyUserId, authTime, authMethod: 'cert' } as const;
        return openSession(opening, { ...proved, accountId: null, roles: [], spending }, now);
      },
    );
    expect(asked).toEqual(['certificates.held_by_user', 'sessions.insert_once']);
    const sid = (await readSessionToken(keys, baseUrl, token, now))?.sid;
    const { rows } = await db.query('SELECT * FROM sessions WHERE sid = $1', [sid]);
    expect(rows).toEqual([
      {
        sid,
        poly_user_id: id,
        auth_method: 'cert',
        identity_id: null,
        device_id: null,
        device_label_sealed: null,
        account_id: null,
        confined_to: null,
        created_at: now,
        expires_at: new Date(Math.floor(now.getTime() / 1000) * 1000 + 3600_000),
        revoked_at: null,
      },
    ]);
  });
});

it('inserts a session and its spent token together, for one of 20 callers', async () => {
  const now = new Date();
  const spending = { jti: `test|${randomIds.uuid()}`, keptUntil: seconds(60) };
  const dates = { createdAt: now, expiresAt: seconds(60) };
  const open = (sid: string, polyUserId: string) => {
    const row = {
      sid,
      polyUserId,
      authMethod: 'cert',
      identityId: null,
      deviceLabelSealed: null,
      deviceId: null,
      accountId: null,
      confinedTo: null,
    };
    return addSessionOnce(db, { ...row, ...dates }, spending);
  };
  await expect(open(randomIds.make('sid'), 'nobody')).rejects.toMatchObject({ code: '23503' });
  const sids = Array.from({ length: 20 }, () => randomIds.make('sid'));
  const opened = await Promise.all(sids.map((sid) => open(sid, id)));
  expect(opened.filter(Boolean)).toHaveLength(1);
  const { rows } = await db.query('SELECT sid FROM sessions WHERE sid = ANY ($1)', [sids]);
  expect(rows).toEqual([{ sid: sids[opened.indexOf(true)] }]);
  expect(await spendToken(db, spending.jti, spending.keptUntil, now)).toBe(false);
});
