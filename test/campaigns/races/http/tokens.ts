import { expect } from 'vitest';
import { randomIds } from '../../../../db/ids.ts';
import { createDevice, type Device } from '../../../../simulator/device/device.ts';
import { devTrust, enrolledPhone, newPhone } from '../../../support/checks/phone.ts';
import { call } from '../../../support/http/client.ts';
import { goodBundle } from '../../../support/keys/bundles.ts';
import { ownPlatform } from '../../../support/platform/own-platform.ts';
import { countRows, freshNonce, rowOf } from '../../../support/races/ground.ts';
import { atOnce, expectFates, newAddress, told, type Race } from '../../../support/races/race.ts';

const inviteToken: Race = {
  name: 'invite-token',
  rule: 'a JWT is handed out once for its token',
  statements: ['invite_tokens.take'],
  prepare: async () => async (callers) => {
    const headers = newAddress();
    const body = { raw_jwt: `eyJhbGciOiJub25lIn0.${randomIds.make('jwt')}.x` };
    const made = await call('POST', '/create_invite_exchange_token', { body, headers });
    const { token } = made.body;
    const answers = await atOnce(callers, () =>
      call('POST', '/exchange_invite_token', { body: { token }, headers }),
    );
    const outcomes = answers.map(told);
    expectFates(outcomes, { 200: 1, '404 not_found': callers - 1 });
    expect(answers.find(({ status }) => status === 200)?.body).toEqual(body);
    return outcomes;
  },
};

const bundle: Race = {
  name: 'bundle-jti',
  rule: 'a verification bundle opens one session',
  statements: ['sessions.insert_once'],
  async prepare() {
    const device = await enrolledPhone();
    const id = device.enrolled?.polyUserId;
    const sessions = () => countRows('SELECT 1 FROM sessions WHERE poly_user_id = $1', [id]);
    return async (callers) => {
      const headers = newAddress();
      const body = { raw_jwt: await goodBundle(device) };
      const before = await sessions();
      const answers = await atOnce(callers, (place) =>
        place % 2 === 0
          ? call('POST', '/portal_login', { body, headers })
          : call('POST', '/portal_login', { body: { jwt: body.raw_jwt }, headers }),
      );
      const outcomes = answers.map(told);
      expectFates(outcomes, { 200: 1, '401 credential_invalid': callers - 1 });
      expect((await sessions()) - before).toBe(1);
      return outcomes;
    };
  },
};

const certificatesOf = (device: Device): Promise<number> =>
  countRows('SELECT 1 FROM certificates WHERE device_id = $1', [device.enrolled?.deviceId]);

const attestNonce: Race = {
  name: 'attest-nonce',
  rule: 'one request gets in by a nonce',
  statements: ['spent_tokens.spend'],
  async prepare() {
    // Its assertions have no counter, so only the nonce excludes the others.
    const device = await enrolledPhone('android');
    const path = `/v2/devices/${device.enrolled?.deviceId ?? ''}/certificate`;
    return async (callers) => {
      const before = await certificatesOf(device);
      const attest = await device.attest({ method: 'POST', path, body: '' }, freshNonce());
      const headers = { attest, ...newAddress() };
      const answers = await atOnce(callers, () => call('POST', path, { headers }));
      const outcomes = answers.map(told);
      expectFates(outcomes, { 201: 1, '401 attest_nonce_required': callers - 1 });
      expect((await certificatesOf(device)) - before).toBe(1);
      return outcomes;
    };
  },
};

const attestCounter: Race = {
  name: 'attest-counter',
  rule: 'one assertion of each counter is taken, each with a nonce of its own',
  statements: ['devices.raise_counter'],
  async prepare() {
    let device = await enrolledPhone();
    const trust = await devTrust();
    const path = `/v2/devices/${device.enrolled?.deviceId ?? ''}/certificate`;
    return async (callers) => {
      const before = await certificatesOf(device);
      const saved = device.save();
      // A cloned phone: every clone continues from the same counter.
      const clones = Array.from({ length: callers }, () =>
        createDevice({ platform: 'ios', trust, now: () => new Date(), saved }),
      );
      const round = newAddress();
      const sent = await Promise.all(
        clones.map((clone) => clone.attest({ method: 'POST', path, body: '' }, freshNonce())),
      );
      const answers = await atOnce(callers, (place) =>
        call('POST', path, { headers: { attest: sent[place] ?? '', ...round } }),
      );
      const outcomes = answers.map(told);
      expectFates(outcomes, { 201: 1, '403 counter_replay': callers - 1 });
      expect((await certificatesOf(device)) - before).toBe(1);
      device = clones[0] ?? device;
      return outcomes;
    };
  },
};

const challenge: Race = {
  name: 'enrollment-challenge',
  rule: 'one phone is enrolled over a challenge, and of the others nothing is kept',
  statements: ['challenges.take'],
  async prepare() {
    const phones: Device[] = [];
    return async (callers) => {
      while (phones.length < callers) phones.push(await newPhone());
      const round = newAddress();
      const given = await call('POST', '/v2/devices/challenge', { headers: round });
      const value = String(given.body['challenge']);
      const { app_id } = ownPlatform().own;
      const bodies = await Promise.all(
        phones.slice(0, callers).map((phone) => phone.enrollment(value, app_id)),
      );
      const before = await countRows('SELECT 1 FROM devices', []);
      const answers = await Promise.all(
        bodies.map(async (body) => call('POST', '/v2/devices', { body, headers: round })),
      );
      const outcomes = answers.map(told);
      expectFates(outcomes, { 201: 1, '401 challenge_unknown': callers - 1 });
      const won = answers.findIndex(({ status }) => status === 201);
      // A phone with an enrolled key leaves the race.
      phones.splice(won, 1);
      const made = answers[won]?.body ?? {};
      expect(await countRows('SELECT 1 FROM devices', [])).toBeGreaterThan(before);
      const certified = 'SELECT 1 FROM certificates WHERE device_id = $1 AND der IS NOT NULL';
      expect(await countRows(certified, [made['device_id']])).toBe(1);
      return outcomes;
    };
  },
};

const enrolledKey: Race = {
  name: 'enrolled-key',
  rule: 'a key is enrolled once, over whichever challenge and for whomever',
  statements: ['devices.insert'],
  roundsMax: 60,
  prepare: async () => async (callers) => {
    const phone = await newPhone();
    const round = newAddress();
    const { app_id } = ownPlatform().own;
    const challenges = await atOnce(callers, () =>
      call('POST', '/v2/devices/challenge', { headers: round }),
    );
    const bodies = await Promise.all(
      challenges.map(({ body }) => phone.enrollment(String(body['challenge']), app_id)),
    );
    const answers = await Promise.all(
      bodies.map(async (body) => call('POST', '/v2/devices', { body, headers: round })),
    );
    const outcomes = answers.map(told);
    expectFates(outcomes, { 201: 1, '409 device_enrolled': callers - 1 });
    const made = answers.find(({ status }) => status === 201)?.body ?? {};
    // The losers created no person either.
    const own = 'SELECT signing_kid AS kid FROM devices WHERE device_id = $1';
    const { kid } = await rowOf<{ kid: string }>(own, [made['device_id']]);
    const known = 'SELECT 1 FROM devices WHERE signing_kid = $1';
    expect(await countRows(known, [kid])).toBe(1);
    expect(await countRows('SELECT 1 FROM certificates WHERE kid = $1', [kid])).toBe(1);
    return outcomes;
  },
};

export const tokenRaces: readonly Race[] = [
  inviteToken,
  bundle,
  attestNonce,
  attestCounter,
  challenge,
  enrolledKey,
];
