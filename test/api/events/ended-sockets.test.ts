import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Seed } from '../../../cli/data-directory/seed.ts';
import { transaction } from '../../../db/client.ts';
import { randomIds } from '../../../db/ids.ts';
import { appendEvents, linkStream, type NewEvent } from '../../../db/queries/events.ts';
import { enrolledPhone } from '../../support/checks/phone.ts';
import { call } from '../../support/http/client.ts';
import { goodBundle, portalLogin } from '../../support/keys/bundles.ts';
import { newAccount } from '../../support/people/accounts.ts';
import { emailSession, newEmailUser } from '../../support/people/email-users.ts';
import { eventually, openTestDb } from '../../support/platform/harness.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';
import { startSecondApi, type SecondApi } from '../../support/platform/second-api.ts';
import { connect, endSockets, farewell, follow, subscribe } from './connect.ts';

const db = openTestDb(ownPlatform().databaseUrl);
let live: SecondApi;
/** An account without events of other tests and with a key that may be revoked. */
let account: Seed;
let accounts = 0;

beforeAll(async () => {
  live = await startSecondApi({}, {}, { recheckMs: 300 });
});
afterAll(async () => {
  await live.stop();
  await db.end();
});
endSockets();

async function another(): Promise<string> {
  accounts += 1;
  account = await newAccount(`ended-${process.pid}-${accounts}`);
  return `account:${account.account_id}`;
}

/** Appends events of the account in one commit, each of this size. */
async function tell(count: number, sizeBytes = 0): Promise<void> {
  const event: NewEvent = {
    stream: linkStream('00000000-0000-4000-8000-000000000000'),
    type: 'link.updated',
    account_id: account.account_id,
    app_id: account.app_id,
    livemode: true,
    object_id: 'none',
    object: { filler: 'x'.repeat(sizeBytes) },
  };
  const events = Array.from({ length: count }, () => event);
  await transaction(db, (tx) => appendEvents(tx, { ids: randomIds, now: new Date() }, events));
}

const revoke = {
  'an API key': () =>
    db.query('UPDATE api_keys SET revoked_at = now() WHERE account_id = $1', [account.account_id]),
  'a session': () =>
    db.query('UPDATE accounts SET disabled_at = now() WHERE account_id = $1', [account.account_id]),
};
const credential = {
  'an API key': () => account.api_key,
  'a session': () => account.member.session_token,
};
const openSockets = async (): Promise<number> =>
  (await live.metrics.sockets.get()).values[0]?.value ?? 0;

/** Returns the WebSocket below a Socket.IO socket. */
const connectionOf = (socket: Awaited<ReturnType<typeof connect>>) =>
  (socket.io.engine.transport as unknown as { ws: { pause(): void; resume(): void } }).ws;

describe('a socket whose credential is revoked', () => {
  it.each(['an API key', 'a session'] as const)(
    'receives goodbye and nothing afterwards, amid a thousand events: %s',
    async (kind) => {
      const stream = await another();
      const socket = await connect(credential[kind](), { at: live.origin });
      const seen = follow(socket);
      const said = farewell(socket);
      expect(await subscribe(socket, { stream })).toMatchObject({ ok: true });
      for (let batch = 0; batch < 12; batch += 1) await tell(25);
      await eventually('some of them', async () => seen.length > 100);
      await revoke[kind]();
      let batches = 0;
      for (; socket.connected || batches < 28; batches += 1) await tell(25);
      const atEnd = seen.length;
      expect(said.code).toBe('revoked');
      await tell(250);
      await sleep(500);
      expect(seen.length).toBe(atEnd);
      expect(atEnd).toBeLessThan((12 + batches) * 25);
      expect(seen.map(({ position }) => position)).toEqual(
        seen.map((_event, index) => (seen[0]?.position ?? 0) + index),
      );
    },
  );

  it('is closed when the device of its session is revoked', async () => {
    const device = await enrolledPhone();
    const { body } = await portalLogin(await goodBundle(device));
    const token = String(body['session_token']);
    const socket = await connect(token, { at: live.origin });
    const said = farewell(socket);
    const path = `/v2/devices/${device.enrolled?.deviceId ?? ''}`;
    expect((await call('DELETE', path, { token })).status).toBe(200);
    await eventually('the end', async () => !socket.connected);
    expect(said.code).toBe('revoked');
  });

  it('is closed when its session signs out, while other sessions stay connected', async () => {
    const { polyUserId, token } = await newEmailUser(db);
    const left = await emailSession(db, polyUserId);
    const [first, second] = [
      await connect(token, { at: live.origin }),
      await connect(left, { at: live.origin }),
    ];
    const said = farewell(first);
    expect((await call('POST', '/v2/session/sign_out', { token, body: {} })).status).toBe(204);
    await eventually('the end of the first', async () => !first.connected);
    expect([said.code, second.connected]).toEqual(['revoked', true]);
    const everywhere = { token: left, body: { everywhere: true } };
    expect((await call('POST', '/v2/session/sign_out', everywhere)).status).toBe(204);
    await eventually('the end of the second', async () => !second.connected);
  });

  it('is closed without closing sockets of the same session in another account', async () => {
    await another();
    const left = account;
    const stream = await another();
    const members = { [left.account_id]: ['VIEWER'], [account.account_id]: ['VIEWER'] } as const;
    const { polyUserId } = await newEmailUser(db, members);
    const here = await emailSession(db, polyUserId, { [left.account_id]: ['VIEWER'] });
    const body = { account_id: account.account_id };
    const switched = await call('POST', '/v2/session/switch_account', { token: here, body });
    const there = String(switched.body['session_token']);
    const first = await connect(here, { at: live.origin });
    const second = await connect(there, { at: live.origin });
    const said = farewell(first);
    expect(await subscribe(second, { stream })).toMatchObject({ ok: true });
    await db.query('DELETE FROM memberships WHERE poly_user_id = $1 AND account_id = $2', [
      polyUserId,
      left.account_id,
    ]);
    await eventually('the end of the first', async () => !first.connected);
    expect([said.code, second.connected]).toEqual(['revoked', true]);
  });

  it('does not receive events that were queued before the revocation', async () => {
    const stream = await another();
    const large = 120_000;
    for (let page = 0; page < 10; page += 1) await tell(30, large);
    const socket = await connect(account.api_key, { at: live.origin });
    const seen = follow(socket);
    const connection = connectionOf(socket);
    connection.pause();
    // The test does not wait for this answer.
    subscribe(socket, { stream }).catch(() => undefined);
    const before = await openSockets();
    await sleep(1_000);
    await revoke['an API key']();
    await eventually('the end', async () => (await openSockets()) < before);
    await sleep(2_000);
    connection.resume();
    await eventually('the end as its reader sees it', async () => !socket.connected);
    // A page of 24 MB was on its way. The buffers of the system hold less than that.
    expect(seen.length).toBeLessThan(190);
  });
});

it('a socket that reads nothing is closed, and its queued events are dropped', async () => {
  const stream = await another();
  for (let page = 0; page < 10; page += 1) await tell(30, 120_000);
  const socket = await connect(account.api_key, { at: live.origin });
  connectionOf(socket).pause();
  subscribe(socket, { stream }).catch(() => undefined);
  const before = await openSockets();
  await eventually('the end', async () => (await openSockets()) < before, 40_000);
  const { replayedEvents } = live.metrics;
  const sent = (await replayedEvents.get()).values[0]?.value;
  await tell(10);
  await sleep(500);
  expect((await replayedEvents.get()).values[0]?.value).toBe(sent);
});
