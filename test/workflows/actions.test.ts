import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Client, Connection } from '@temporalio/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDevice } from '../../simulator/device/device.ts';
import { readDevTrust } from '../../simulator/roots/dev-trust.ts';
import { phoneCheck } from '../../simulator/session/check.ts';
import { createClient } from '../../simulator/session/client.ts';
import { enroll } from '../../simulator/session/enroll.ts';
import { archiveRenewalId } from '../../workflows/archive-renewal/messages.ts';
import { prescreenRollupId } from '../../workflows/prescreen-rollup/messages.ts';
import { retentionId } from '../../workflows/retention/messages.ts';
import { createPlatform, eventually, type TestPlatform } from '../support/platform/harness.ts';

let directory: string;
let platform: TestPlatform;
let connection: Connection;
let temporal: Client;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'trustcheck-actions-'));
  platform = await createPlatform(directory, () => undefined);
  connection = await Connection.connect({ address: platform.facts.temporalAddress });
  temporal = new Client({ connection });
}, 120_000);
afterAll(async () => {
  await connection.close();
  await platform.stop();
  await rm(directory, { recursive: true, force: true });
});

/** Pauses the schedules: their runs are not actions of a check. */
async function pauseSchedules(): Promise<void> {
  for (const id of [prescreenRollupId, retentionId, archiveRenewalId]) {
    await eventually(`the schedule ${id}`, () =>
      temporal.schedule
        .getHandle(id)
        .pause('a check is counted')
        .then(
          () => true,
          () => false,
        ),
    );
  }
}

/**
 * Returns the actions that the server counts for billing, once the count stands still. Excludes
 * those of signatures, two each (start and marker): the platform signs its revocation lists and
 * keys of OCSP responders at any time.
 */
async function countedActions(): Promise<number> {
  let counted = await readCounter();
  await eventually('a counter at rest', async () => {
    const before = counted;
    await delay(1_000);
    counted = await readCounter();
    return counted === before;
  });
  const { count: signatures } = await temporal.workflow.count("WorkflowType = 'signing'");
  return counted - 2 * signatures;
}

async function readCounter(): Promise<number> {
  const text = await (await fetch(platform.facts.temporalMetricsUrl)).text();
  const lines = text.split('\n').filter((line) => line.startsWith('action{'));
  return lines
    .filter((line) => line.includes('namespace="default"'))
    .reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' '))), 0);
}

describe('the action count of the server', () => {
  it('is at most 20 for a check with three proofs, 2 for its affidavit, and 0 for an enrollment', async () => {
    const { own, baseUrl } = platform.facts;
    const call = createClient(baseUrl);
    const link = await call<{ url: string }>('PUT', `/v2/${own.app_id}`, {
      token: own.api_key,
      body: {},
    });
    const trust = await readDevTrust(directory);
    const device = createDevice({ platform: 'ios', trust, now: () => new Date() });
    await pauseSchedules();
    const atStart = await countedActions();
    await enroll(call, device, own.app_id);
    const before = await countedActions();
    expect(before - atStart).toBeLessThanOrEqual(0);
    const number = '+4915112300777';
    const say = (): void => undefined;
    const session = await phoneCheck({ link: link.url, number, trust, device, say });
    expect(session.status).toBe('passed');
    const path = `/v2/trust-checks/${session.link_session_id}`;
    await eventually('the affidavit', async () => {
      const found = await call<{ affidavit: { status: string } }>('GET', path, {
        token: own.api_key,
      });
      return found.affidavit.status === 'available';
    });
    const counted = (await countedActions()) - before;
    expect(counted).toBeGreaterThan(6);
    expect(counted).toBeLessThanOrEqual(20 + 2);
  });
});
