import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Device } from '../../../simulator/device/device.ts';
import { enroll, enrolledPhone, newChallenge, newPhone } from '../../support/checks/phone.ts';
import { call, type Answer } from '../../support/http/client.ts';
import { changedBundle, goodBundle, portalLogin } from '../../support/keys/bundles.ts';
import { eventually, openTestDb } from '../../support/platform/harness.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';
import { wrongBundles } from '../../support/wrong-bundles/all.ts';

const { databaseUrl, dataDir, own } = ownPlatform();
const db = openTestDb(databaseUrl);
let phone: Device;
let other: Device;

beforeAll(async () => {
  phone = await newPhone('ios');
  await enroll(phone, {}, { token: own.member.session_token });
  other = await enrolledPhone('android');
});
afterAll(() => db.end());

/** Returns the number of sessions ever opened for the two people. */
async function sessionsOpened(): Promise<number> {
  const users = [phone, other].map(({ enrolled }) => enrolled?.polyUserId);
  const { rows } = await db.query<{ count: number }>(
    'SELECT count(*) FROM sessions WHERE poly_user_id = ANY($1)',
    [users],
  );
  return rows[0]?.count ?? 0;
}

/** Both operations, with one request id, so that answers can be compared byte by byte. */
const ways = {
  '/portal_login': (jwt: string) => ({ raw_jwt: jwt }),
  '/api/v1/auth/token': (jwt: string) => ({ grant_type: 'jwt_exchange', jwt }),
} as const;
const headers = { 'request-id': 'wrong-bundle' };
const logText = (): Promise<string> => readFile(join(dataDir, 'logs', 'api.log'), 'utf8');

describe.each(Object.keys(ways) as (keyof typeof ways)[])('wrong bundles at %s', (path) => {
  const enter = (jwt: string): Promise<Answer> =>
    call('POST', path, { body: ways[path](jwt), headers });

  it('get identical answers and open no session', async () => {
    // A body with NUL is rejected before it is parsed.
    const wrong = (await wrongBundles(phone, other)).filter(({ token }) => !token.includes('\0'));
    expect(wrong.length).toBeGreaterThan(200);
    const before = await sessionsOpened();
    const answers: [string, string][] = [];
    for (const { what, token } of wrong) {
      const { status, text, headers: sent } = await enter(token);
      const names = [...sent.keys()].filter((name) => !/^(date|ratelimit-)/.test(name)).join();
      answers.push([what, `${status} ${names} ${text}`]);
    }
    const [first] = answers.map(([, answer]) => answer);
    expect(first).toMatch(/^401 .*"credential_invalid"/);
    expect(answers.filter(([, answer]) => answer !== first)).toEqual([]);
    expect(await sessionsOpened()).toBe(before);
    expect((await enter(await goodBundle(phone))).status).toBe(200);
    expect(await sessionsOpened()).toBe(before + 1);
  });

  it('are logged with the rule they broke, but without the bundle', async () => {
    const requestId = `refused-${path.replaceAll(/\W/g, '')}`;
    const token = changedBundle(phone, { claims: { acr: 'urn:other' } });
    await call('POST', path, { body: ways[path](token), headers: { 'request-id': requestId } });
    const line = await eventually('the line of the refusal', async () =>
      (await logText()).split('\n').find((one) => one.includes(requestId)),
    );
    expect(JSON.parse(line)).toMatchObject({ request_id: requestId, rule: 'acr' });
    const [, claims = '', signature = ''] = token.split('.');
    const log = await logText();
    expect(log).not.toContain(signature);
    expect(log).not.toContain(claims);
  });

  it('include bundles of revoked devices and of revoked or expired certificates', async () => {
    const mine = await newPhone('android');
    await enroll(mine, {}, { token: own.member.session_token });
    const id = mine.enrolled?.deviceId ?? '';
    const set = (what: string) =>
      db.query(`UPDATE certificates SET ${what} WHERE device_id = $1`, [id]);
    expect((await enter(await goodBundle(mine))).status).toBe(200);
    await set(`not_after = now() - interval '1 second'`);
    const expired = await enter(await goodBundle(mine));
    await set(`not_after = now() + interval '1 year'`);
    expect((await enter(await goodBundle(mine))).status).toBe(200);
    const waiting = await goodBundle(mine);
    const revoked = await call('DELETE', `/v2/devices/${id}`, { token: own.member.session_token });
    expect(revoked.status).toBe(200);
    const refused = [await enter(waiting), await enter(await goodBundle(mine)), expired];
    const bad = await enter('a.b.c');
    for (const answer of refused) expect([answer.status, answer.text]).toEqual([401, bad.text]);
  });

  it('include all but one of twenty concurrent bundles with one jti', async () => {
    const before = await sessionsOpened();
    const token = await goodBundle(phone, { nonce: await newChallenge() });
    const answers = await Promise.all(Array.from({ length: 20 }, () => enter(token)));
    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(1);
    expect(statuses.filter((status) => status === 401)).toHaveLength(19);
    expect(await sessionsOpened()).toBe(before + 1);
  });
});

describe('one bundle', () => {
  it('is accepted by one of the two operations, not by both', async () => {
    const token = await goodBundle(phone);
    const answers = await Promise.all([
      portalLogin(token),
      call('POST', '/api/v1/auth/token', { body: { grant_type: 'jwt_exchange', jwt: token } }),
    ]);
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 401]);
  });

  it('is not a credential by itself', async () => {
    const token = await goodBundle(phone);
    expect((await call('GET', '/v2/devices', { token })).status).toBe(401);
    expect((await portalLogin(token)).status).toBe(200);
  });
});
