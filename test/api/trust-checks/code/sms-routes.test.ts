import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { endSmsStop, smsStops } from '../../../../cli/admin/sms-stops.ts';
import type { Db } from '../../../../db/client.ts';
import { noteCodeDelivery } from '../../../../db/queries/proofs.ts';
import { routesOf } from '../../../../domain/proofs/phone/phone-number.ts';
import { codeFor } from '../../../support/http/client.ts';
import { codeSession, outcome, refused, sent, smsApis } from '../../../support/people/sms.ts';
import { openTestDb } from '../../../support/platform/harness.ts';
import { ownPlatform } from '../../../support/platform/own-platform.ts';

const { databaseUrl } = ownPlatform();
const { start, another, send } = smsApis('sms-routes');
let db: Db;
beforeAll(() => {
  db = openTestDb(databaseUrl);
});
afterAll(() => db.end());

let numbers = 0;
/** Returns a number of a country to which no other test sends. */
const inLuxembourg = (): string => `+352621${String((numbers += 1)).padStart(6, '0')}`;
const inMonaco = (): string => `+3776${String((numbers += 1)).padStart(8, '12000000')}`;
const strict = { SMS_CONVERSION_PERCENT_MIN: '10', SMS_CONVERSION_SENT_MIN: '20' };

/** Inserts counts of sent and verified codes with this age. */
const count = (route: string, ago: string, codes: readonly [sent: number, verified: number]) =>
  db.query(
    `INSERT INTO sms_routes (route, begins_at, sent, verified)
     VALUES ($1, now() - $2::interval, $3, $4)`,
    [route, ago, ...codes],
  );
const forget = (): Promise<unknown> =>
  db.query(
    `WITH stops AS (DELETE FROM sms_stops WHERE route ~ '(LU|352)')
     DELETE FROM sms_routes WHERE route ~ '(LU|352)'`,
  );

describe('an SMS route', () => {
  it('is a prefix of a million numbers, or a country of one account', () => {
    expect(routesOf('+352621123456', 7)).toEqual(['prefix:+352621', 'account:7:country:LU']);
    expect(routesOf('+14155550123', 8)).toEqual(['prefix:+14155', 'account:8:country:US']);
  });

  it.each([
    ['fewer than ten of a hundred were typed', 'country:LU', '1 hour', [20, 1], refused],
    ['the same in the prefix alone', 'prefix:+352621', '1 hour', [20, 1], refused],
    ['ten of a hundred were typed', 'country:LU', '1 hour', [20, 2], sent],
    ['too few were sent to tell', 'country:LU', '1 hour', [19, 0], sent],
    ['they may be typed yet', 'country:LU', '5 minutes', [99, 0], sent],
    ['it is too long ago', 'country:LU', '7 hours', [99, 0], sent],
    ['it is another country', 'country:LI', '1 hour', [99, 0], sent],
  ] as const)('is open or stopped where %s', async (_, route, ago, codes, expected) => {
    await forget();
    await start(strict);
    const account = await another();
    const counted = route.replace('country', `account:${account.account_id}:country`);
    await count(counted, ago, codes);
    const answer = await send(await codeSession(account), inLuxembourg());
    expect(outcome(answer)).toEqual(expected);
    if (expected === refused) expect(answer.headers.get('retry-after')).toBe('3600');
    await db.query(`DELETE FROM sms_routes WHERE route = $1`, [counted]);
  });

  it('stays stopped for six hours or until an operator lifts the stop', async () => {
    await forget();
    await start(strict);
    const account = await another();
    const route = `account:${account.account_id}:country:LU`;
    await count(route, '2 hours', [50, 0]);
    const session = await codeSession(account);
    expect(outcome(await send(session, inLuxembourg()))).toEqual(refused);
    // The stop applies to one account only.
    const other = await codeSession(await another());
    expect(outcome(await send(other, inLuxembourg()))).toEqual(sent);
    // Newer counts do not lift the stop.
    await count(route, '1 hour', [0, 50]);
    expect(outcome(await send(session, inLuxembourg()))).toEqual(refused);
    const now = new Date();
    const stops = JSON.parse(await smsStops(db, now)) as Record<string, unknown>[];
    const stop = stops.find((each) => each['route'] === route);
    expect(stop).toMatchObject({ sent: 50, verified: 0 });
    const lasts = Date.parse(String(stop?.['ends_at'])) - Date.parse(String(stop?.['stopped_at']));
    expect(lasts).toBe(6 * 3_600_000);
    expect(await endSmsStop(db, route, now)).toBe(route);
    await expect(endSmsStop(db, route, now)).rejects.toThrow(`${route}: is not stopped`);
    await db.query(`DELETE FROM sms_routes WHERE route = $1 AND verified > 0`, [route]);
    // Counts from before the lifted stop no longer apply.
    expect(outcome(await send(session, inLuxembourg()))).toEqual(sent);
  });

  it('is not stopped if the minimum conversion is 0', async () => {
    await forget();
    await start({ SMS_CONVERSION_PERCENT_MIN: '0' });
    await count('prefix:+352621', '1 hour', [500, 0]);
    expect(outcome(await send(await codeSession(await another()), inLuxembourg()))).toEqual(sent);
  });

  it('counts a code once when sent, despite resends, and once when verified', async () => {
    await start(strict);
    const account = await another();
    const session = await codeSession(account);
    const number = inMonaco();
    const counted = async (): Promise<unknown[]> => {
      const { rows } = await db.query(
        `SELECT route, sum(sent)::int AS sent, sum(verified)::int AS verified FROM sms_routes
         WHERE route = ANY ($1) GROUP BY route ORDER BY route`,
        [routesOf(number, account.account_id)],
      );
      return rows.map(({ sent: codes, verified }) => [codes, verified]);
    };
    const shown = async (): Promise<unknown> => {
      const { body } = await session.get();
      return (body['proofs'] as { delivery?: string | null }[])[0]?.delivery;
    };
    expect(await shown()).toBeNull();
    expect(outcome(await send(session, number))).toEqual(sent);
    expect([await counted(), await shown()]).toEqual([
      [
        [1, 0],
        [1, 0],
      ],
      'queued',
    ]);
    await db.query(
      `UPDATE phone_codes SET sent_at = sent_at - interval '1 minute' WHERE link_session_id = $1`,
      [session.id],
    );
    expect(outcome(await send(session, number))).toEqual(sent);
    expect(await counted()).toEqual([
      [1, 0],
      [1, 0],
    ]);
    // Codes of test mode do not count, because a preset subject may pass them.
    await db.query('UPDATE apps SET livemode = false WHERE app_id = $1', [account.app_id]);
    const tried = await codeSession(account);
    const near = `${number.slice(0, -2)}99`;
    expect(outcome(await send(tried, near))).toEqual(sent);
    expect((await tried.step('proofs/phone', { code: await codeFor(near) })).status).toBe(200);
    expect(await counted()).toEqual([
      [1, 0],
      [1, 0],
    ]);
    const last = { link_session_id: session.id, series: 1, send: 2 };
    for (const [state, told] of [
      ['sent', 'sent'],
      ['undelivered', 'undelivered'],
      ['failed', 'undelivered'],
      ['delivered', 'delivered'],
    ] as const) {
      expect(await noteCodeDelivery(db, last, { state, reason: null })).toBe(true);
      expect(await shown()).toBe(told);
    }
    const judged = await session.step('proofs/phone', { code: await codeFor(number) });
    expect(judged.body['status']).toBe('passed');
    expect([await counted(), await shown()]).toEqual([
      [
        [1, 1],
        [1, 1],
      ],
      undefined,
    ]);
  });
});
