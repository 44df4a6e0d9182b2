import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { measures, type StepMeasure } from '../../activities/runtime/measures.ts';
import { takeStep } from '../../activities/trust-checks/take-step.ts';
import { createMetrics } from '../../api/metrics.ts';
import { randomIds } from '../../db/ids.ts';
import { findTrustCheck } from '../../db/queries/trust-checks.ts';
import { createWorkerMetrics } from '../../workers/metrics.ts';
import { proofStates, proofTypes } from '../../workflows/proofs.ts';
import { trustCheckStates } from '../../workflows/trust-check/state.ts';
import { canceled } from '../support/checks/lost-steps.ts';
import { nothingWaits } from '../support/checks/nothing-waits.ts';
import {
  beginSession,
  call,
  collecting,
  newLink,
  passedSession,
  withAffidavit,
} from '../support/http/client.ts';
import { eventually, openTestDb } from '../support/platform/harness.ts';
import { ownPlatform } from '../support/platform/own-platform.ts';

const { own, metricsUrls, databaseUrl } = ownPlatform();
const endpoints = `/v2/accounts/${own.account_id}/webhook-endpoints`;
const db = openTestDb(databaseUrl);
let receiver: Server;
beforeAll(async () => {
  receiver = createServer((_, response) => response.end());
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
});
afterAll(async () => {
  await db.end();
  await new Promise((resolve) => receiver.close(resolve));
});

/** The metrics of both processes by series; a series of both has the sum. */
async function read(): Promise<Map<string, number>> {
  const texts = await Promise.all(metricsUrls.map(async (url) => (await fetch(url)).text()));
  const values = new Map<string, number>();
  for (const [, series = '', value] of texts
    .join('\n')
    .matchAll(/^(trustcheck_\w+(?:\{[^}]*\})?) (\S+)$/gm)) {
    values.set(series, (values.get(series) ?? 0) + Number(value));
  }
  return values;
}

const grownBy = (before: Map<string, number>, now: Map<string, number>, series: string): number =>
  (now.get(series) ?? 0) - (before.get(series) ?? 0);

describe('the metrics of the API and the worker', () => {
  it('count the states, proofs, steps, webhooks and affidavit of a passed check', async () => {
    const before = await read();
    const { port } = receiver.address() as AddressInfo;
    const made = await call('POST', endpoints, {
      token: own.api_key,
      body: { url: `http://127.0.0.1:${port}/`, types: ['trust_check.passed'] },
    });
    expect(made.status).toBe(201);
    await withAffidavit(await passedSession());
    // Other tests count at the same time, so only the growth of a series is certain.
    const expected = [
      ...['opened', 'paired', 'collecting', 'processing', 'passed'].map(
        (state) => `trustcheck_check_states_total{state="${state}"}`,
      ),
      'trustcheck_proof_results_total{proof="phone",result="passed"}',
      ...['created', 'opened', 'paired', 'collecting', 'processing'].map(
        (state) => `trustcheck_check_step_seconds_count{state="${state}"}`,
      ),
      'trustcheck_webhook_attempts_total{result="delivered"}',
      'trustcheck_webhook_lag_seconds_count',
      'trustcheck_affidavit_lag_seconds_count',
    ];
    const missing = (now: Map<string, number>): string[] =>
      expected.filter((series) => grownBy(before, now, series) < 1);
    await eventually('the counts', async () => missing(await read()).length === 0);
    const removed = `${endpoints}/${String(made.body['endpoint_id'])}`;
    expect((await call('DELETE', removed, { token: own.api_key })).status).toBe(200);
  });

  it('count open checks by state, and report depth and age of every outbox', async () => {
    await beginSession(await newLink());
    const open = 'trustcheck_checks_open{state="created"}';
    const now = await eventually('the open check', async () => {
      const found = await read();
      return (found.get(open) ?? 0) >= 1 && found;
    });
    const labelsOf = (name: string, label: string): string[] =>
      [...now.keys()].flatMap((series) => {
        const [, value] = new RegExp(`^${name}\\{${label}="(\\w+)"\\}$`).exec(series) ?? [];
        return value ?? [];
      });
    const outboxes = labelsOf('trustcheck_outbox_depth', 'outbox').sort();
    const names =
      'affidavits calendars checks deleted_links deliveries device_recalls emails ended_devices ' +
      'invitations log_proofs mail_reports meetings member_mails platform_events submissions';
    expect(outboxes).toEqual(names.split(' '));
    expect(labelsOf('trustcheck_outbox_oldest_seconds', 'outbox').sort()).toEqual(outboxes);
    const [openStates, states] = [trustCheckStates.slice(0, 7), trustCheckStates.slice(1)];
    expect(labelsOf('trustcheck_checks_open', 'state')).toEqual(openStates);
    expect(labelsOf('trustcheck_check_states_total', 'state').sort()).toEqual(states.sort());
    for (const series of now.keys()) {
      const [, proof, result] = /proof="(\w+)",result="(\w+)"/.exec(series) ?? [];
      if (!proof) continue;
      expect(proofTypes).toContain(proof);
      expect(proofStates).toContain(result);
    }
  });

  it('count a step once, with the time the check spent in its state', async () => {
    const session = await collecting(await newLink());
    const told: StepMeasure[] = [];
    measures.step.listen((step) => told.push(step));
    const later = new Date(Date.now() + 90_000);
    const deps = { db, ids: randomIds, clock: () => later };
    const cancel = () =>
      takeStep(deps, { link_session_id: session.id, step_id: 'canceled', step: canceled });
    await Promise.all([cancel(), cancel()]);
    await cancel();
    const { log } = (await findTrustCheck(db, session.id)) ?? expect.fail('no check');
    const [consented] = log.filter(({ to }) => to === 'collecting');
    const seconds = (later.getTime() - Date.parse(consented?.at ?? '')) / 1000;
    expect(told.filter((step) => 'to' in step)).toEqual([
      { from: 'collecting', to: 'canceled', seconds },
    ]);
  });
});

it('start at zero for every state that a check can reach', async () => {
  const expected = trustCheckStates
    .filter((state) => state !== 'created')
    .map((state) => `trustcheck_check_states_total{state="${state}"} 0`);
  for (const { registry } of [createMetrics(), createWorkerMetrics(nothingWaits)]) {
    const text = await registry.metrics();
    const told = text.split('\n').filter((line) => line.startsWith('trustcheck_check_states'));
    expect(told.sort()).toEqual(expected.sort());
  }
});

describe('a registry when the database is unavailable', () => {
  it('reports its own metrics, and queries the database once per figure', async () => {
    let asked = 0;
    const away = async () => {
      asked += 1;
      throw new Error('away');
    };
    const { registry, affidavitFailures } = createWorkerMetrics({
      ...nothingWaits,
      backlog: away,
      openChecks: away,
    });
    affidavitFailures.inc({ reason: 'affidavit_invalid' });
    const text = await registry.metrics();
    expect(text).toContain('trustcheck_affidavit_failures_total{reason="affidavit_invalid"} 1\n');
    expect(text).toContain('# HELP trustcheck_outbox_depth ');
    expect(text).not.toMatch(/^trustcheck_(outbox_\w+\{|checks_(open\{|\w+ \d))/m);
    expect(asked).toBe(2);
  });

  it('logs the error once per outage, not at each scrape', async () => {
    let isAway = true;
    const told: unknown[] = [];
    const { registry } = createWorkerMetrics({
      ...nothingWaits,
      backlog: async () => {
        if (isAway) throw new Error('column "taken_at" does not exist');
        return [];
      },
      log: pino({}, { write: (line) => told.push(JSON.parse(line)) }),
    });
    for (const away of [true, true, false, false, true, true]) {
      isAway = away;
      await registry.metrics();
    }
    const line = {
      level: pino.levels.values['warn'],
      msg: 'metrics without figures from the database',
      err: { message: 'column "taken_at" does not exist' },
    };
    expect(told).toMatchObject([line, line]);
  });
});

it('the oldest check in processing has age 0 when there is none', async () => {
  const text = await createWorkerMetrics(nothingWaits).registry.metrics();
  expect(text).toContain('\ntrustcheck_checks_processing_oldest_seconds 0\n');
});

it('an outbox has the age of its oldest row, and 0 when it is empty', async () => {
  const now = new Date('2026-11-22T12:00:00Z');
  const { registry } = createWorkerMetrics({
    ...nothingWaits,
    backlog: async () => [
      { outbox: 'emails', waiting: 3, oldest_at: new Date('2026-11-22T11:58:30Z') },
      { outbox: 'checks', waiting: 0, oldest_at: null },
    ],
    openChecks: async () => [
      { state: 'paired', checks: 2, oldest_at: null },
      { state: 'processing', checks: 1, oldest_at: new Date('2026-11-22T11:51:00Z') },
    ],
    clock: () => now,
  });
  const text = await registry.metrics();
  for (const line of [
    'trustcheck_outbox_depth{outbox="emails"} 3',
    'trustcheck_outbox_oldest_seconds{outbox="emails"} 90',
    'trustcheck_outbox_depth{outbox="checks"} 0',
    'trustcheck_outbox_oldest_seconds{outbox="checks"} 0',
    'trustcheck_checks_open{state="paired"} 2',
    'trustcheck_checks_open{state="created"} 0',
    'trustcheck_checks_processing_oldest_seconds 540',
  ]) {
    expect(text.split('\n')).toContain(line);
  }
});
