import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  createDeviceCheck,
  deviceCheckConfig,
} from '../../../../activities/proofs/device/apple/device-check.ts';
import { tokensContext } from '../../../../activities/proofs/device/enrollment.ts';
import { serviceAccount } from '../../../../activities/proofs/device/google/play-decoder.ts';
import { createPlayRecall } from '../../../../activities/proofs/device/google/play-recall.ts';
import { createRecallActivities } from '../../../../activities/proofs/device/recall-device.ts';
import { userOwner } from '../../../../db/sealing/sealed.ts';
import { makeDeviceToken } from '../../../../simulator/device/device-token.ts';
import type { Device } from '../../../../simulator/device/device.ts';
import { createClient } from '../../../../simulator/session/client.ts';
import { devTrust } from '../../../support/checks/phone.ts';
import { appOfTeam, iphoneWith, type TeamApp } from '../../../support/checks/receipts.ts';
import { ownSealer } from '../../../support/keys/own-sealer.ts';
import { openTestDb } from '../../../support/platform/harness.ts';
import { ownPlatform } from '../../../support/platform/own-platform.ts';
import { writeAppleKeys } from '../../../support/stand-ins/phones/app-attest.ts';
import {
  startDeviceCheck,
  type DeviceCheckStandIn,
} from '../../../support/stand-ins/phones/device-check.ts';
import { startPlayIntegrity } from '../../../support/stand-ins/phones/play-integrity.ts';
import type { Fault } from '../../../support/stand-ins/provider.ts';

const db = openTestDb(ownPlatform().databaseUrl);
const sealer = ownSealer(db);
const directory = mkdtempSync(join(tmpdir(), 'trustcheck-recall-'));
// The platform has no key of this team, so no worker queries these phones.
const teamId = 'RECALLED27';
let app: TeamApp;
let phone: Device;
let hardware = '';
let sandbox: DeviceCheckStandIn;
let production: DeviceCheckStandIn;
let aheadMs = 0;
let refusals: string[] = [];
const clock = (): Date => new Date(Date.now() + aheadMs);

beforeAll(async () => {
  app = await appOfTeam(db, ownPlatform().own.account_id, teamId);
});
afterAll(async () => {
  await db.end();
  rmSync(directory, { recursive: true });
});
beforeEach(async () => {
  [aheadMs, refusals, hardware] = [0, [], randomUUID()];
  const now = (): Date => new Date();
  [sandbox, production] = await Promise.all([
    startDeviceCheck({ environment: 'development', now, team: teamId }),
    startDeviceCheck({ environment: 'production', now, team: teamId }),
  ]);
  phone = await iphoneWith(createClient(ownPlatform().baseUrl), await devTrust(), app);
});
afterEach(() => Promise.all([sandbox.stop(), production.stop()]));

const token = (changes: object = {}): string =>
  makeDeviceToken({ hardware, teamId, environment: 'development', ...changes });

/** Stores a phone with these tokens, which no worker queries. */
async function waits(tokens: readonly string[], device = phone): Promise<string> {
  const { deviceId = '', polyUserId = '' } = device.enrolled ?? {};
  const text = JSON.stringify(tokens);
  const sealed = await sealer.seal(userOwner(polyUserId), tokensContext(deviceId), text);
  await db.query(
    `UPDATE devices SET recall_due = NULL, recall_status = 'pending', tokens_sealed = $2
     WHERE device_id = $1`,
    [deviceId, sealed],
  );
  return deviceId;
}

const activitiesOf = (team = teamId) =>
  createRecallActivities({
    db,
    sealer,
    clock,
    vendors: {
      ios: createDeviceCheck(
        deviceCheckConfig.parse({
          APPLE_DEVICE_KEYS: writeAppleKeys(directory, team),
          DEVICECHECK_URL: production.url,
          DEVICECHECK_SANDBOX_URL: sandbox.url,
        }),
        clock,
      ),
      android: null,
    },
    log: { warn: () => undefined, error: () => undefined },
    countRefusal: (vendor) => void refusals.push(vendor),
  });
const enrolled = (device_id: string) => ({ device_id, due: 'enrolled' }) as const;
async function rowOf(deviceId: string): Promise<unknown[]> {
  const { rows } = await db.query<Record<string, unknown>>(
    'SELECT recall_status, reinstall_detected, device_flagged FROM devices WHERE device_id = $1',
    [deviceId],
  );
  return Object.values(rows[0] ?? {});
}

describe('DeviceCheck', () => {
  it('is queried and updated once per step, however often the step is repeated', async () => {
    const id = await waits([token(), token(), token()]);
    const { readBits, writeBits } = activitiesOf();
    expect(await readBits(enrolled(id))).toEqual({ outcome: 'told' });
    expect(await readBits(enrolled(id))).toEqual({ outcome: 'told' });
    expect(sandbox.requests.map(({ path }) => path)).toEqual(['/v1/query_two_bits']);
    expect(await rowOf(id)).toEqual(['told', false, false]);
    expect(await writeBits(enrolled(id))).toEqual({ outcome: 'written' });
    // Simulates a crash between Apple’s answer and our commit: the call is repeated.
    expect(await writeBits(enrolled(id))).toEqual({ outcome: 'written' });
    expect(sandbox.bitsOf(hardware)).toMatchObject({ bit0: true, bit1: false });
    expect(await rowOf(id)).toEqual(['noted', false, false]);
    expect(production.requests).toEqual([]);
  });

  it('keeps a flag when an earlier update arrives late', async () => {
    const id = await waits([token(), token(), token()]);
    const { readBits, writeBits } = activitiesOf();
    await readBits(enrolled(id));
    await db.query(`UPDATE devices SET flag_status = 'pending' WHERE device_id = $1`, [id]);
    const flagged = { device_id: id, due: 'flagged' } as const;
    await writeBits(enrolled(id));
    expect(sandbox.bitsOf(hardware)).toMatchObject({ bit0: true, bit1: true });
    expect(await writeBits(flagged)).toEqual({ outcome: 'written' });
    expect(await writeBits(flagged)).toEqual({ outcome: 'over' });
  });

  it.each<[string, () => readonly string[]]>([
    ['of another team', () => [token({ teamId: 'ANOTHERONE' })]],
    ['of another environment', () => [token({ environment: 'production' })]],
    ['that is malformed', () => ['QUFB']],
  ])('accepts no token %s, and the phone stays unknown', async (_what, tokens) => {
    const id = await waits(tokens());
    expect(await activitiesOf().readBits(enrolled(id))).toEqual({ outcome: 'unavailable' });
    expect(await rowOf(id)).toEqual(['unavailable', null, null]);
    expect(await activitiesOf().readBits(enrolled(id))).toEqual({ outcome: 'over' });
  });

  it('accepts a token of another phone’s enrollment once, and skips an update without a token', async () => {
    const [shared, first] = [token(), await waits([])];
    await waits([shared]);
    const { readBits, writeBits } = activitiesOf();
    expect(await readBits(enrolled(first))).toEqual({ outcome: 'told' });
    expect(await writeBits(enrolled(first))).toEqual({ outcome: 'unavailable' });
    expect(await rowOf(first)).toEqual(['told', false, false]);
    const other = await iphoneWith(createClient(ownPlatform().baseUrl), await devTrust(), app);
    const second = await waits([shared], other);
    expect(await readBits(enrolled(second))).toEqual({ outcome: 'unavailable' });
  });

  it.each<[Fault, number]>([
    [{ status: 429, headers: { 'Retry-After': '17' } }, 17],
    [{ status: 503 }, 5],
    [{ status: 200, text: 'some other words' }, 5],
    [{ status: 200, text: '{"bit0":1,"bit1":0}' }, 5],
    [{ status: 200, text: 'A'.repeat(70_000) }, 5],
    [{ status: 302, headers: { Location: 'http://127.0.0.1:9' } }, 5],
    ['reset', 5],
  ])('is queried again after an unusable answer: %o', async (fault, seconds) => {
    const id = await waits([token()]);
    sandbox.failNext(fault);
    await expect(activitiesOf().readBits(enrolled(id))).rejects.toMatchObject({
      code: 'dependency_unavailable',
      retryAfterSeconds: seconds,
    });
    expect(await rowOf(id)).toEqual(['pending', null, null]);
    expect(await activitiesOf().readBits(enrolled(id))).toEqual({ outcome: 'told' });
    expect(refusals).toEqual([]);
  });

  it.each([401, 403])('counts a refusal of our key with %i, and waits', async (status) => {
    const id = await waits([token()]);
    sandbox.failNext({ status });
    const refused = { code: 'platform_not_configured' };
    await expect(activitiesOf().readBits(enrolled(id))).rejects.toMatchObject(refused);
    await expect(activitiesOf('NOTOURTEAM').readBits(enrolled(id))).rejects.toMatchObject(refused);
    expect(refusals).toEqual(['apple', 'apple']);
    expect(await rowOf(id)).toEqual(['pending', null, null]);
  });

  it('rejects a clock that is far off', async () => {
    const id = await waits([token()]);
    aheadMs = 3600_000;
    const refused = { code: 'platform_not_configured' };
    await expect(activitiesOf().readBits(enrolled(id))).rejects.toMatchObject(refused);
  });
});

describe('device recall of Play', () => {
  it('is read from the verdict of the enrollment, and written with its token', async () => {
    const play = await startPlayIntegrity(clock);
    try {
      const account = serviceAccount.parse(play.account);
      const recall = createPlayRecall({ account, url: play.url, clock });
      const payload = { deviceIntegrity: { deviceRecall: { values: { bitFirst: true } } } };
      const of = (packageName: string, extra: object = {}) => ({
        enrollment: [{ kind: 'play-integrity', policy: { package: packageName }, ...extra }],
        token: play.issue('dev.trustcheck.app', payload),
        transactionId: randomUUID(),
      });
      const own = of('dev.trustcheck.app');
      expect(await recall.readBits(own)).toBeNull();
      expect(await recall.writeBits(own, { known: true, flagged: false })).toBe(true);
      expect(play.recalled(own.token)).toEqual({ bitFirst: true });
      expect(await recall.writeBits(own, { known: true, flagged: true })).toBe(true);
      expect(play.recalled(own.token)).toEqual({ bitFirst: true, bitSecond: true });
      const foreign = of('another.app');
      expect(await recall.writeBits(foreign, { known: true, flagged: true })).toBe(false);
      expect(
        await recall.writeBits({ ...own, enrollment: [] }, { known: true, flagged: true }),
      ).toBe(false);
      play.failNext({ status: 403 });
      await expect(recall.writeBits(own, { known: true, flagged: false })).rejects.toMatchObject({
        code: 'platform_not_configured',
      });
      play.failNext({ status: 500 });
      await expect(recall.writeBits(own, { known: true, flagged: false })).rejects.toMatchObject({
        code: 'dependency_unavailable',
      });
    } finally {
      await play.stop();
    }
  });
});
