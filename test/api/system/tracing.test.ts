import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { proofOf } from '../../support/http/browser-keys.ts';
import { call, type Answer } from '../../support/http/client.ts';
import { createPlatform, eventually, type TestPlatform } from '../../support/platform/harness.ts';
import { startOtlpCollector, type OtlpCollector } from '../../support/stand-ins/otlp-collector.ts';
import { startProvider, type Provider } from '../../support/stand-ins/provider.ts';

let directory = '';
let collector: OtlpCollector;
let receiver: Provider;
let platform: TestPlatform;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'trustcheck-tracing-'));
  [collector, receiver] = await Promise.all([
    startOtlpCollector(),
    startProvider(() => ({ status: 200 })),
  ]);
  platform = await createPlatform(directory, () => undefined, {
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_BSP_SCHEDULE_DELAY: '200',
  });
}, 120_000);
afterAll(async () => {
  await platform.stop();
  await Promise.all([collector.stop(), receiver.stop()]);
  await rm(directory, { recursive: true, force: true });
});

const traceId = randomBytes(16).toString('hex');
const callerSpan = randomBytes(8).toString('hex');

/** Sends a call with the trace headers of a tracing client. */
async function traced(method: string, path: string, token: string | null, body?: unknown) {
  const { baseUrl: at } = platform.facts;
  // This platform is not that of the other tests, so the proof is made here.
  const proof = await proofOf(`${at}${path}`, {
    method,
    headers: token === null ? {} : { authorization: `Bearer ${token}` },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const answer = await call(method, path, {
    at,
    body,
    ...(token === null ? {} : { token }),
    headers: {
      ...proof,
      traceparent: `00-${traceId}-${callerSpan}-01`,
      tracestate: 'vendor=planted-state',
      baggage: 'name=planted-baggage',
    },
  });
  expect(answer.status, answer.text).toBeLessThan(300);
  return answer;
}

async function codeFor(number: string): Promise<string> {
  const { baseUrl: at } = platform.facts;
  return eventually('the code', async () => {
    const { body } = await call('GET', '/outbox/messages?limit=200', { at });
    const items = body['items'] as { recipient: string; text: string }[];
    const sent = items.find(({ recipient }) => recipient === number);
    return sent && /^(\d{6})\b/.exec(sent.text)?.[1];
  });
}

async function passedCheck(): Promise<string> {
  const { own } = platform.facts;
  const number = '+4915112300888';
  const link = await traced('PUT', `/v2/link/${own.app_id}`, own.api_key, {
    required_proofs: ['phone'],
  });
  const { link_uuid } = link.body;
  const begun = await traced('POST', '/v2/trust-checks', null, { link_uuid, client: 'web' });
  const id = String(begun.body['link_session_id']);
  const step = (name: string, body: unknown = {}): Promise<Answer> =>
    traced('POST', `/v2/trust-checks/${id}/${name}`, String(begun.body['check_token']), body);
  await step('open');
  await step('pair');
  await step('consent', { accepted: true, tos_version: '1', claims: [] });
  await step('phone/code', { phone_number: number });
  await step('proofs/phone', { code: await codeFor(number) });
  return id;
}

/** Returns a history as the Temporal server stores it. Headers are plain, base64 in JSON. */
async function historyOf(workflowId: string): Promise<string> {
  const connection = await Connection.connect({ address: platform.facts.temporalAddress });
  try {
    const client = new Client({ connection });
    const history = await client.workflow.getHandle(workflowId).fetchHistory();
    const json = historyToJSON(history);
    const values = [...json.matchAll(/"data":\s*"([^"]+)"/g)].map(([, data = '']) => data);
    return [json, ...values.map((data) => Buffer.from(data, 'base64').toString())].join('\n');
  } finally {
    await connection.close();
  }
}

describe('a trace', () => {
  it('covers everything from the first request to the last webhook', async () => {
    const { own } = platform.facts;
    await call('POST', `/v2/accounts/${own.account_id}/webhook-endpoints`, {
      at: platform.facts.baseUrl,
      token: own.api_key,
      body: { url: `${receiver.url}/hook`, types: ['trust_check.created', 'affidavit.available'] },
    });
    const id = await passedCheck();
    await eventually('both webhooks', async () => receiver.requests.length === 2);
    const types = receiver.requests.map(({ body }) => JSON.parse(body.toString()).type);
    expect(types).toEqual(['trust_check.created', 'affidavit.available']);
    // Trace ids are internal: webhooks do not contain them.
    for (const { headers } of receiver.requests) expect(headers['traceparent']).toBeUndefined();

    const ofTrace = () => collector.spans.filter((span) => span.traceId === traceId);
    const names = () => ofTrace().map(({ service, name }) => `${service} ${name}`);
    const expected = [
      'trustcheck-api POST /v2/trust-checks',
      'trustcheck-api POST /v2/trust-checks/{id}/proofs/{proof}',
      'trustcheck-worker RunWorkflow:trustCheck',
      'trustcheck-worker RunActivity:judgeProof',
      'trustcheck-worker RunWorkflow:issueAffidavit',
      'trustcheck-worker RunActivity:issueAffidavit',
      'trustcheck-worker RunWorkflow:webhookDelivery',
      'trustcheck-worker RunActivity:deliverWebhook',
    ];
    await eventually(`the spans of ${id}`, async () =>
      expected.every((name) => names().includes(name)),
    );
    const deliveries = () => names().filter((name) => name.endsWith('RunActivity:deliverWebhook'));
    await eventually('both deliveries', async () => deliveries().length === 2);
    // One tree: every span has a parent, and the caller's span is the root.
    await eventually('every parent', async () => {
      const known = new Set([callerSpan, ...ofTrace().map(({ spanId }) => spanId)]);
      return ofTrace().every(({ parentSpanId }) => parentSpanId && known.has(parentSpanId));
    });
    const history = await historyOf(`trust-check/${id}`);
    expect(history).toContain(traceId);
    expect(history).not.toContain('planted');
    const servers = ofTrace().filter(({ isServer }) => isServer);
    expect(servers.every(({ parentSpanId }) => parentSpanId === callerSpan)).toBe(true);
  });

  it('is in the log lines of its requests', async () => {
    const { baseUrl: at, temporalUiUrl: origin } = platform.facts;
    await call('POST', '/codec/decode', {
      at,
      body: { payloads: [] },
      headers: { origin, traceparent: `00-${traceId}-${callerSpan}-01` },
    });
    await eventually('the line', async () => {
      const lines = (await readFile(join(directory, 'logs', 'api.log'), 'utf8')).split('\n');
      return lines.some((line) => line.includes('payloads opened') && line.includes(traceId));
    });
  });
});
