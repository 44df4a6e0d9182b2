import { randomUUID } from 'node:crypto';
import type { Client } from '@temporalio/client';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { usualTimers } from '../../../activities/trust-checks/start.ts';
import type { Db } from '../../../db/client.ts';
import { listUnstarted } from '../../../db/queries/orphaned-checks.ts';
import { findTrustCheck } from '../../../db/queries/trust-checks.ts';
import { checkStarts } from '../../../workers/outboxes/starts/check-starts.ts';
import { trustCheckWorkflowId } from '../../../workflows/trust-check/messages.ts';
import { call, newLink } from '../../support/http/client.ts';
import { eventually, openTestDb } from '../../support/platform/harness.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';
import { startSecondApi, type SecondApi } from '../../support/platform/second-api.ts';
import { connectClient } from '../../support/platform/temporal-client.ts';

const { own, databaseUrl } = ownPlatform();
const { api_key: token } = own;
const log = pino({ enabled: false });
let db: Db;
let client: Client;
/** An API without a workflow server: nothing listens on port 9 (discard) of this machine. */
let cut: SecondApi;

beforeAll(async () => {
  db = openTestDb(databaseUrl);
  client = await connectClient();
  cut = await startSecondApi({
    TEMPORAL_ADDRESS: '127.0.0.1:9',
    // An idempotency key of an anonymous caller belongs to the caller's address.
    TRUSTED_PROXIES: 'loopback',
  });
});
afterAll(async () => {
  await cut.stop();
  await client.connection.close();
  await db.end();
});

/** Begins a session that gets only its row; returns its id and a way to repeat the request. */
async function halfBegun(link: string) {
  const headers = { 'idempotency-key': randomUUID() };
  const ask = (at?: string) =>
    call('POST', '/v2/trust-checks', {
      body: { link_uuid: link, client: 'web' },
      headers,
      ...(at ? { at } : {}),
    });
  const refused = await ask(cut.origin);
  expect([refused.status, refused.body['code']]).toEqual([503, 'dependency_unavailable']);
  const list = await call('GET', `/v2/trust-checks?link_uuid=${link}`, { token });
  const [item] = list.body['items'] as { link_session_id: string }[];
  const id = item?.link_session_id ?? '';
  expect(await findTrustCheck(db, id)).toMatchObject({ status: 'created', version: 0 });
  return { id, ask };
}

const stateOf = async (link: string): Promise<unknown> =>
  (await call('GET', `/v2/${link}?format_type=J`)).body['status'];
const cancel = (id: string) =>
  call('POST', `/v2/trust-checks/${id}/cancel`, { token, body: { reason: 'left lying' } });
const typesOf = async (id: string): Promise<string[]> => {
  const { body } = await call('GET', `/v2/events?stream=trust-check:${id}`, { token });
  return (body['items'] as { type: string }[]).map(({ type }) => type);
};
/** The relay of a worker with its clock past the grace period of a begin. */
const relay = () =>
  checkStarts({ db, client, clock: () => new Date(Date.now() + 60_000), log }).drain(
    new AbortController().signal,
  );

async function runsOf(id: string): Promise<string[]> {
  const runs = client.workflow.list({ query: `WorkflowId = "${trustCheckWorkflowId(id)}"` });
  const found: string[] = [];
  for await (const { runId } of runs) found.push(runId);
  return found;
}

describe('a session without a started workflow', () => {
  it('is started by the workers with its deadlines, and releases its link when canceled', async () => {
    const link = await newLink({ single_use: true });
    const { id } = await halfBegun(link);
    expect(await stateOf(link)).toBe('reserved');
    const handle = client.workflow.getHandle(trustCheckWorkflowId(id));
    const found = await eventually('its workflow', () => handle.describe().catch(() => null));
    expect(found.status.name).toBe('RUNNING');
    const waitS = await eventually('its first deadline', async () => {
      const { events } = await handle.fetchHistory();
      const timers = (events ?? []).flatMap((event) => event.timerStartedEventAttributes ?? []);
      return timers[0]?.startToFireTimeout?.seconds;
    });
    expect(Number(waitS) * 1000).toBe(usualTimers.idleMs);
    await eventually('no mark', async () => !(await findTrustCheck(db, id))?.awaits_start);
    const canceled = await cancel(id);
    expect([canceled.status, canceled.body['status']]).toEqual([200, 'canceled']);
    expect(await stateOf(link)).toBe('active');
    expect(await typesOf(id)).toEqual(['trust_check.created', 'trust_check.canceled']);
  });

  it('can be canceled at once, and a late repeat of its request does not start it', async () => {
    const link = await newLink({ single_use: true });
    const { id, ask } = await halfBegun(link);
    const canceled = await cancel(id);
    expect([canceled.status, canceled.body['status']]).toEqual([200, 'canceled']);
    expect(await stateOf(link)).toBe('active');
    const late = await ask();
    expect([late.status, late.body['code']]).toEqual([409, 'link_not_active']);
    await relay();
    expect(await typesOf(id)).toEqual(['trust_check.created', 'trust_check.canceled']);
  });

  it('ends when its link is deleted', async () => {
    const link = await newLink({ single_use: true });
    const { id } = await halfBegun(link);
    expect((await call('DELETE', `/v2/${link}`, { token })).status).toBe(200);
    const ended = await eventually('its end', async () => {
      const row = await findTrustCheck(db, id);
      return row?.status === 'canceled' && row;
    });
    expect(ended).toMatchObject({ reason_code: 'link_deleted', awaits_start: false });
  });

  it('gets one workflow when relays and repeated requests start it at the same time', async () => {
    const halves = await Promise.all(
      Array.from({ length: 6 }, async () => halfBegun(await newLink({ single_use: true }))),
    );
    const [answers] = await Promise.all([
      Promise.all(halves.map(({ ask }) => ask())),
      ...Array.from({ length: 4 }, relay),
    ]);
    for (const [index, { id }] of halves.entries()) {
      expect(answers[index]?.status).toBe(201);
      expect(answers[index]?.body['link_session_id']).toBe(id);
      await eventually('its run', async () => (await runsOf(id)).length > 0);
      expect(await runsOf(id)).toHaveLength(1);
      expect(await typesOf(id)).toEqual(['trust_check.created']);
      expect(await findTrustCheck(db, id)).toMatchObject({ awaits_start: false });
    }
  });

  it('is not listed when its begin succeeded, on web or mobile', async () => {
    for (const kind of ['web', 'mobile']) {
      const body = { link_uuid: await newLink(), client: kind };
      const { body: begun } = await call('POST', '/v2/trust-checks', { body });
      const unstarted = await listUnstarted(db, {
        begun_until: new Date(Date.now() + 60_000),
        limit: 1000,
        without: [],
      });
      const ids = unstarted.map(({ link_session_id }) => link_session_id);
      expect(ids).not.toContain(begun['link_session_id']);
    }
  });
});
