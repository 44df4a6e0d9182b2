import { createHmac } from 'node:crypto';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { operations } from '../../../api/docs/operations.ts';
import { deliveryDelaysMs } from '../../../workers/outboxes/starts/webhook-deliveries.ts';
import { call, newLink } from '../../support/http/client.ts';
import { referencePages } from '../../support/http/reference-pages.ts';
import { contracts } from '../../support/http/routes.ts';
import { samples } from '../../support/people/samples.ts';
import { eventually } from '../../support/platform/harness.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';

const { own } = ownPlatform();
const withBody = contracts.filter(({ request, hidden }) => request.body && !hidden);
const documented = new Map(operations().map((operation) => [operation.id, operation]));

describe('the example body', () => {
  it.each(withBody.map((row) => [row.id, row] as const))(
    'of %s is valid by its schema',
    (id, row) => {
      const example = documented.get(id)?.example;
      expect(Object.keys(example ?? {})).not.toEqual([]);
      const parsed = row.request.body?.safeParse(example);
      expect(parsed?.error?.issues ?? []).toEqual([]);
    },
  );

  it.each([
    'links.create',
    'links.createShort',
    'links.createInvite',
    'links.createImport',
    'links.createByType',
    'links.send',
    'links.update',
    'links.updateByApp',
    'links.updateById',
    'trust-checks.cancel',
    'trust-checks.handOver',
    'trust-checks.sendCode',
    'webhook-endpoints.create',
    'webhook-endpoints.update',
    'webhook-endpoints.test',
  ])('of %s succeeds', async (id) => {
    const operation = documented.get(id);
    const sample = await samples[id]?.();
    if (!operation || !sample) throw new Error(`${id} has no sample`);
    const { path, token } = sample;
    const verb = operation.method.toUpperCase();
    const { status, body } = await call(verb, path, { token, body: operation.example });
    expect(String(status), JSON.stringify(body)).toMatch(/^20[012]$/);
    // The example endpoint has an external address, so it is removed at once.
    if (id === 'webhook-endpoints.create') {
      const one = `${path}/${String(body['endpoint_id'])}`;
      expect((await call('DELETE', one, { token })).status).toBe(200);
    }
  });

  it('appears in the command of the reference page', async () => {
    const { families: operations } = await referencePages();
    const bodies = [...operations.matchAll(/ -d (?:'|&#39;|&apos;)([^<]*)/g)].map(
      ([, body = '']) => body,
    );
    expect(bodies).toHaveLength(withBody.length);
    expect(bodies.filter((body) => body.startsWith('{}'))).toEqual([]);
    expect(bodies.join()).toContain('hooks.example.com/trustcheck');
  });
});

interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

describe('the documentation of webhooks', () => {
  it('is shown and lists the actual retry delays', async () => {
    const { description } = documented.get('webhook-endpoints.create') ?? { description: '' };
    const [, ...delays] = deliveryDelaysMs.map((ms) => ms / 1000);
    const hours = delays.slice(3).map((seconds) => seconds / 3600);
    const last = hours.pop();
    expect(delays.slice(0, 3)).toEqual([5, 300, 1800]);
    const said = `5 seconds, 5 minutes, 30 minutes, ${hours.join(', ')} and ${last} hours`;
    expect(description).toContain(said);
    const { text } = await call('GET', '/docs/reference/webhook-endpoints');
    for (const part of ['whsec_', '{webhook-id}.{webhook-timestamp}.{body}', 'v1,']) {
      expect(text).toContain(`<code>${part}</code>`);
    }
    expect(text).toContain('Empty <code>types</code> means all of them');
  });

  it('describes how to verify a signature', async () => {
    const received: Received[] = [];
    const server = createServer((request, response) => {
      const parts: Buffer[] = [];
      request.on('data', (part: Buffer) => parts.push(part));
      request.on('end', () => {
        received.push({ headers: request.headers, body: Buffer.concat(parts) });
        response.end();
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const at = `/v2/accounts/${own.account_id}/webhook-endpoints`;
    const made = await call('POST', at, {
      token: own.api_key,
      // No types means all types.
      body: { url: `http://127.0.0.1:${port}/` },
    });
    const link = await newLink();
    const one = await eventually('the event', async () =>
      received.find(({ body }) => body.includes(link)),
    );
    await call('DELETE', `${at}/${String(made.body['endpoint_id'])}`, { token: own.api_key });
    await new Promise((resolve) => server.close(resolve));
    const key = Buffer.from(String(made.body['secret']).slice('whsec_'.length), 'base64');
    const { headers, body } = one;
    const signed = `${String(headers['webhook-id'])}.${String(headers['webhook-timestamp'])}.`;
    const mac = createHmac('sha256', key).update(signed).update(body).digest('base64');
    expect(String(headers['webhook-signature']).split(' ')).toContain(`v1,${mac}`);
  });
});
