import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  createReceiptService,
  receiptConfig,
} from '../../../../activities/proofs/device/apple/receipt-service.ts';
import { createReceiptActivities } from '../../../../activities/proofs/device/apple/renew-receipt.ts';
import { openEnrollment, receiptOf } from '../../../../activities/proofs/device/enrollment.ts';
import { findDevice } from '../../../../db/queries/devices.ts';
import { readReceipt } from '../../../../domain/proofs/device/apple/receipt.ts';
import { issueReceipt } from '../../../../simulator/apple/receipt.ts';
import type { Device } from '../../../../simulator/device/device.ts';
import { createAppleDevelopmentRoots } from '../../../../simulator/roots/apple.ts';
import { createClient } from '../../../../simulator/session/client.ts';
import { devTrust } from '../../../support/checks/phone.ts';
import { appOfTeam, iphoneWith, type TeamApp } from '../../../support/checks/receipts.ts';
import { mintAttestation, partsOf } from '../../../support/fixtures/devices/apple-fixtures.ts';
import { ownSealer } from '../../../support/keys/own-sealer.ts';
import { openTestDb } from '../../../support/platform/harness.ts';
import { ownPlatform } from '../../../support/platform/own-platform.ts';
import {
  receiptTeam,
  startAppAttest,
  writeAppleKeys,
} from '../../../support/stand-ins/phones/app-attest.ts';
import type { Fault, Provider } from '../../../support/stand-ins/provider.ts';

const db = openTestDb(ownPlatform().databaseUrl);
const sealer = ownSealer(db);
const directory = mkdtempSync(join(tmpdir(), 'trustcheck-receipts-'));
const dayMs = 24 * 3600_000;
const daySeconds = 24 * 3600;
let app: TeamApp;
let phone: Device;
let sandbox: Provider;
let production: Provider;
let aheadMs = 0;
let refusals = 0;
let said: string[] = [];
const clock = (): Date => new Date(Date.now() + aheadMs);
const log = (...line: unknown[]): void => void said.push(String(line.at(-1)));

beforeAll(async () => {
  // The platform has no key of this team, so no worker renews these receipts.
  app = await appOfTeam(db, ownPlatform().own.account_id, receiptTeam.replace('26', '27'));
});
afterAll(async () => {
  await db.end();
  rmSync(directory, { recursive: true });
});

/** Each test has a phone that Apple does not know. */
beforeEach(async () => {
  [aheadMs, refusals, said] = [0, 0, []];
  const roots = async () => (await devTrust()).apple;
  const now = clock;
  [sandbox, production] = await Promise.all([
    startAppAttest({ environment: 'sandbox', now, roots, team: app.apple.team_id }),
    startAppAttest({ environment: 'production', now, roots, team: app.apple.team_id }),
  ]);
  phone = await iphoneWith(createClient(ownPlatform().baseUrl), await devTrust(), app);
});
afterEach(() => Promise.all([sandbox.stop(), production.stop()]));

const serviceOf = (team: string = app.apple.team_id) =>
  createReceiptService(
    receiptConfig.parse({
      APPLE_DEVICE_KEYS: writeAppleKeys(directory, team),
      APP_ATTEST_URL: production.url,
      APP_ATTEST_SANDBOX_URL: sandbox.url,
    }),
    clock,
  );
const idOf = (device: Device): string => device.enrolled?.deviceId ?? '';

async function look(device_id = idOf(phone), service = serviceOf()) {
  const { apple, android } = await devTrust();
  const developmentRootsPem = [apple.rootPem, apple.receiptRootPem, android.rootPem].join('\n');
  const { renewReceipt } = createReceiptActivities({
    db,
    sealer,
    service,
    clock,
    developmentRootsPem,
    riskMetricMax: 10,
    log: { warn: log, error: log },
    countRefusal: () => void (refusals += 1),
  });
  return renewReceipt({ device_id });
}
async function kept(): Promise<unknown[]> {
  const { rows } = await db.query<Record<string, unknown>>(
    'SELECT risk_metric, receipt_at IS NOT NULL AS is_kept FROM devices WHERE device_id = $1',
    [idOf(phone)],
  );
  return [rows[0]?.['is_kept'], rows[0]?.['risk_metric']];
}

describe('the receipt of an iPhone', () => {
  it('is renewed once Apple allows it, and not requested earlier', async () => {
    expect(await look()).toEqual({ outcome: 'renewed', wait_seconds: daySeconds });
    expect(await kept()).toEqual([true, 1]);
    const early = await look();
    expect(early.outcome).toBe('waiting');
    expect(early.wait_seconds).toBeGreaterThan(daySeconds - 60);
    expect(sandbox.requests).toHaveLength(1);
    aheadMs = dayMs + 60_000;
    expect(await look()).toEqual({ outcome: 'renewed', wait_seconds: daySeconds });
    expect([sandbox.requests.length, production.requests.length]).toEqual([2, 0]);
  });

  it.each<[string, Fault, number]>([
    ['too_early', { status: 304 }, daySeconds],
    ['no_data', { status: 404 }, 7 * daySeconds],
    ['refused', { status: 400 }, 7 * daySeconds],
  ])('stays unchanged when Apple answers %s', async (outcome, fault, wait_seconds) => {
    await look();
    aheadMs = dayMs + 60_000;
    sandbox.failNext(fault);
    expect(await look()).toEqual({ outcome, wait_seconds });
    expect(await kept()).toEqual([true, 1]);
    expect((await look()).outcome).toBe('renewed');
  });

  it('is unknown to Apple a month after its attestation, if it was never requested', async () => {
    aheadMs = 31 * dayMs;
    expect((await look()).outcome).toBe('no_data');
    expect(await kept()).toEqual([false, null]);
  });

  it('ends when it expires, and when its device is revoked or unknown', async () => {
    aheadMs = 91 * dayMs;
    expect((await look()).outcome).toBe('expired');
    aheadMs = 0;
    await db.query('UPDATE devices SET revoked_at = now() WHERE device_id = $1', [idOf(phone)]);
    expect((await look()).outcome).toBe('over');
    expect((await look('dev_unknown')).outcome).toBe('over');
    expect(sandbox.requests).toEqual([]);
  });

  it('is renewed although its app loses its Apple identity for a while or gets another', async () => {
    const set = (apple: unknown) =>
      db.query('UPDATE apps SET apple = $2 WHERE app_id = $1', [app.appId, apple]);
    await set(null);
    expect(await look()).toEqual({ outcome: 'waiting', wait_seconds: daySeconds });
    expect(sandbox.requests).toEqual([]);
    await set({ team_id: 'ANOTHERONE', bundle_id: 'another.app' });
    expect((await look()).outcome).toBe('renewed');
    await set(app.apple);
  });

  it.each([401, 403])(
    'is not renewed when Apple answers %i, which is logged and counted',
    async (status) => {
      sandbox.failNext({ status });
      await expect(look()).rejects.toMatchObject({ code: 'platform_not_configured' });
      expect([refusals, said]).toEqual([
        1,
        ['Apple refuses the key of a team: no receipt is renewed'],
      ]);
    },
  );

  it.each<[Fault, number]>([
    [{ status: 429, headers: { 'Retry-After': '17' } }, 17],
    [{ status: 503 }, 5],
    [{ status: 200 }, 5],
    [{ status: 200, text: 'no base64!' }, 5],
    [{ status: 200, text: 'A'.repeat(70_000) }, 5],
    [{ status: 302, headers: { Location: 'http://127.0.0.1:9' } }, 5],
    ['reset', 5],
  ])('is requested again after an unusable answer: %o', async (fault, seconds) => {
    sandbox.failNext(fault);
    await expect(look()).rejects.toMatchObject({
      code: 'dependency_unavailable',
      retryAfterSeconds: seconds,
    });
    expect(refusals).toBe(0);
  });

  it('is stored only when it verifies as the first one did', async () => {
    const { apple } = await devTrust();
    const { attestation } = mintAttestation().input;
    const [foreignKey = new Uint8Array()] = partsOf(attestation).attStmt.x5c;
    const own = await ownLeaf();
    const statement = {
      appId: `${app.apple.team_id}.${app.apple.bundle_id}`,
      attested: own,
      clientDataHash: new Uint8Array(32),
      type: 'RECEIPT',
      environment: 'sandbox',
      createdAt: new Date(Date.now() + 1000),
      riskMetric: 3,
    } as const;
    const strangers = createAppleDevelopmentRoots(new Date());
    for (const receipt of [
      issueReceipt(apple, { ...statement, attested: foreignKey }),
      issueReceipt(apple, { ...statement, appId: `${app.apple.team_id}.other` }),
      issueReceipt(apple, { ...statement, type: 'ATTEST' }),
      issueReceipt(apple, { ...statement, environment: 'production' }),
      issueReceipt(apple, { ...statement, createdAt: new Date(Date.now() - dayMs) }),
      issueReceipt(strangers, statement),
      Buffer.from('no receipt'),
    ]) {
      sandbox.failNext({ status: 200, text: Buffer.from(receipt).toString('base64') });
      expect(await look()).toEqual({ outcome: 'unverified', wait_seconds: daySeconds });
    }
    expect(await kept()).toEqual([false, null]);
    const good = Buffer.from(issueReceipt(apple, statement)).toString('base64');
    sandbox.failNext({ status: 200, text: good });
    expect((await look()).outcome).toBe('renewed');
    expect(await kept()).toEqual([true, 3]);
  });

  it('is requested with the key of its team, from the host of its environment', async () => {
    const service = serviceOf();
    const bytes = Buffer.from('a receipt');
    expect(await service.renew(app.apple.team_id, 'production', bytes)).toEqual({
      outcome: 'refused',
    });
    expect([sandbox.requests.length, production.requests.length]).toEqual([0, 1]);
    const [asked] = production.requests;
    expect(asked?.headers.authorization).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+$/);
    expect(asked?.body.toString()).toBe(bytes.toString('base64'));
    for (const [team, environment] of [
      ['ANOTHERONE', 'sandbox'],
      [app.apple.team_id, 'staging'],
    ] as const) {
      await expect(service.renew(team, environment, bytes)).rejects.toMatchObject({
        code: 'platform_not_configured',
      });
    }
    expect(sandbox.requests).toEqual([]);
  });
});

/** Returns the certificate of the phone’s key from its enrollment receipt. */
async function ownLeaf(): Promise<Uint8Array> {
  const device = await findDevice(db, idOf(phone));
  const bytes = device && receiptOf(await openEnrollment(sealer, device));
  if (!bytes) throw new Error('no receipt');
  return readReceipt(bytes).attested;
}
