import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createClient } from '../../cli/phone/client.ts';
import { phoneCheck } from '../../cli/phone/check.ts';
import { readDevTrust } from '../../cli/phone/dev-trust.ts';
import { createDevice } from '../../cli/phone/device.ts';
import type { Service } from '../../cli/platform/services.ts';
import { createPlatform, eventually, openTestDb, type TestPlatform } from '../harness.ts';

const checks = 10;
let directory = '';
let platform: TestPlatform;
let worker: Service;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'trustcheck-chaos-'));
  platform = await createPlatform(directory, () => undefined);
  worker = platform.worker;
}, 120_000);
afterAll(async () => {
  await platform.stop();
  await rm(directory, { recursive: true, force: true });
}, 60_000);

async function newPhone() {
  const trust = await readDevTrust(directory);
  const device = createDevice({ platform: 'ios', trust, now: () => new Date() });
  return { trust, device, say: () => undefined };
}

describe('kill -9', () => {
  it('of the worker amid ten checks: ten decisions, ten affidavits, no eleventh, one code each', async () => {
    const { own, baseUrl, databaseUrl } = platform.facts;
    const call = createClient(baseUrl);
    const running = Array.from({ length: checks }, async (_, index) => {
      const link = await call<{ url: string }>('PUT', `/v2/${own.app_id}`, {
        token: own.api_key,
        body: {},
      });
      const number = `+4915112300${String(100 + index)}`;
      return phoneCheck({ ...(await newPhone()), link: link.url, number });
    });
    await new Promise((resolve) => setTimeout(resolve, 400));
    worker.child.kill('SIGKILL');
    await new Promise((resolve) => setTimeout(resolve, 500));
    await platform.startWorker();
    const ended = await Promise.all(running);
    expect(ended.map(({ status }) => status)).toEqual(ended.map(() => 'passed'));
    const db = openTestDb(databaseUrl);
    try {
      await eventually(
        'ten affidavits',
        async () => {
          const found = await db.query(`SELECT 1 FROM affidavits WHERE status = 'available'`);
          return found.rowCount === checks;
        },
        60_000,
      );
      const all = await db.query('SELECT count(*)::int AS count FROM affidavits');
      expect(all.rows[0]).toEqual({ count: checks });
      const gaps = await db.query(
        `SELECT stream FROM events GROUP BY stream HAVING max(seq) <> count(*)`,
      );
      expect(gaps.rows).toEqual([]);
      const codes = await db.query(
        'SELECT recipient FROM outbox_messages GROUP BY recipient HAVING count(DISTINCT text) > 1',
      );
      expect(codes.rows).toEqual([]);
      const doubled = await db.query(
        `SELECT stream FROM events WHERE type = 'trust_check.passed' GROUP BY stream
         HAVING count(*) > 1`,
      );
      expect(doubled.rows).toEqual([]);
    } finally {
      await db.end();
    }
  }, 120_000);

  it('of the API between two steps: the caller tries again and the check goes on', async () => {
    const { own, baseUrl } = platform.facts;
    const call = createClient(baseUrl);
    const link = await call<{ url: string }>('PUT', `/v2/${own.app_id}`, {
      token: own.api_key,
      body: {},
    });
    const phone = await newPhone();
    const running = phoneCheck({ ...phone, link: link.url, number: '+4915112300999' });
    await new Promise((resolve) => setTimeout(resolve, 150));
    platform.api.child.kill('SIGKILL');
    await platform.startApi();
    expect((await running).status).toBe('passed');
  }, 60_000);
});
