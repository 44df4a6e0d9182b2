import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Client, Connection } from '@temporalio/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createClient } from '../../cli/phone/client.ts';
import { phoneCheck } from '../../cli/phone/check.ts';
import { enroll } from '../../cli/phone/enroll.ts';
import { readDevTrust } from '../../cli/phone/dev-trust.ts';
import { createDevice } from '../../cli/phone/device.ts';
import { archiveRenewalId } from '../../workflows/archive-renewal/messages.ts';
import { prescreenRollupId } from '../../workflows/prescreen-rollup/messages.ts';
import { retentionId } from '../../workflows/retention/messages.ts';
import { createPlatform, eventually, type TestPlatform } from '../harness.ts';

let directory: string;
let platform: TestPlatform;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'trustcheck-actions-'));
  platform = await createPlatform(directory, () => undefined);
}, 120_000);
afterAll(async () => {
  await platform.stop();
  await rm(directory, { recursive: true, force: true });
});

/** What the platform does by the clock is none of a check’s: it is made at the start, and held. */
async function holdSchedules(): Promise<void> {
  const connection = await Connection.connect({ address: platform.facts.temporalAddress });
  try {
    const { schedule } = new Client({ connection });
    for (const id of [prescreenRollupId, retentionId, archiveRenewalId]) {
      await eventually(`the schedule ${id}`, () =>
        schedule
          .getHandle(id)
          .pause('a check is counted')
          .then(
            () => true,
            () => false,
          ),
      );
    }
  } finally {
    await connection.close();
  }
  await restedCounter();
}

/** The server counts the last marker of a workflow after its answer. */
async function restedCounter(): Promise<void> {
  await eventually('a counter at rest', async () => {
    const counted = await countedActions();
    await delay(1_000);
    return (await countedActions()) === counted;
  });
}

/** The actions the server has counted so far, as it would bill them. */
async function countedActions(): Promise<number> {
  const text = await (await fetch(platform.facts.temporalMetricsUrl)).text();
  const lines = text.split('\n').filter((line) => line.startsWith('action{'));
  return lines
    .filter((line) => line.includes('namespace="default"'))
    .reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' '))), 0);
}

/** How often the API had something signed so far: a start and a marker each. */
async function countedSignings(): Promise<number> {
  const connection = await Connection.connect({ address: platform.facts.temporalAddress });
  try {
    const { count } = await new Client({ connection }).workflow.count("WorkflowType = 'signing'");
    return count;
  } finally {
    await connection.close();
  }
}

describe('the server’s own counter', () => {
  it('counts at most 2 actions for a signature, 13 for a check with three proofs and 2 for its affidavit', async () => {
    const { own, baseUrl } = platform.facts;
    const call = createClient(baseUrl);
    const link = await call<{ url: string }>('PUT', `/v2/${own.app_id}`, {
      token: own.api_key,
      body: {},
    });
    const trust = await readDevTrust(directory);
    const device = createDevice({ platform: 'ios', trust, now: () => new Date() });
    await holdSchedules();
    const first = await countedActions();
    await enroll(call, device, own.app_id);
    await restedCounter();
    expect((await countedActions()) - first).toBeLessThanOrEqual(2 * (await countedSignings()));
    const [before, signedBefore] = [await countedActions(), await countedSignings()];
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
    // A revocation list and a key of the OCSP responder may be signed meanwhile, for all checks.
    const signed = (await countedSignings()) - signedBefore;
    const counted = (await countedActions()) - before - 2 * signed;
    expect(counted).toBeGreaterThan(6);
    expect(counted).toBeLessThanOrEqual(13 + 2);
  });
});
