import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { verifyWebhook, WebhookRefused, type ReceivedWebhook } from '../../../client/index.ts';
import { clientOf } from '../../support/http/client.ts';
import { eventually } from '../../support/platform/harness.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';

const { account_id, api_key } = ownPlatform().own;
const { webhookEndpoints: endpoints } = clientOf(api_key);
const minuteMs = 60_000;
const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const nowMs = Date.UTC(2026, 0, 1);

interface Received {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}
const received: Received[] = [];
let server: Server;
let origin = '';

beforeAll(async () => {
  server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const { url: path = '', headers } = request;
      received.push({ path, headers, body: Buffer.concat(parts) });
      response.end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => new Promise((resolve) => server.close(resolve)));

/** Sends a sample event to an endpoint and returns it as delivered. */
async function delivered(endpoint_id: string, path: string): Promise<Received & { id: string }> {
  const body = { type: 'trust_check.passed' } as const;
  const { event_id: id } = await endpoints.test({ account_id, endpoint_id, body });
  const one = await eventually('the delivery', async () =>
    received.find((each) => each.path === path && each.headers['webhook-id'] === id),
  );
  return { ...one, id };
}

const newEndpoint = (path: string) =>
  endpoints.create({ account_id, body: { url: `${origin}${path}`, types: [] } });

describe('a webhook of the platform', () => {
  it('is verified as the event it contains, and forgeries are rejected', async () => {
    const { endpoint_id, secret } = await newEndpoint('/client');
    const { headers, body, id } = await delivered(endpoint_id, '/client');
    const event = await verifyWebhook({ secret, headers, body });
    expect(event).toMatchObject({ event_id: id, type: 'trust_check.passed', account_id });
    const forged = Buffer.from(body.toString().replace('"passed"', '"failed"'));
    const other = `whsec_${Buffer.alloc(24, 1).toString('base64')}`;
    for (const wrong of [
      { secret, headers, body: forged },
      { secret: other, headers, body },
      { secret, headers: { ...headers, 'webhook-id': 'evt_other' }, body },
    ]) {
      await expect(verifyWebhook(wrong)).rejects.toMatchObject({ code: 'signature_wrong' });
    }
  });

  it('is verified with the old and the new secret during a rotation', async () => {
    const { endpoint_id, secret: old } = await newEndpoint('/rotating');
    const { secret: fresh } = await endpoints.rotateSecret({ account_id, endpoint_id });
    const { headers, body, id } = await delivered(endpoint_id, '/rotating');
    const other = `whsec_${Buffer.alloc(24, 1).toString('base64')}`;
    for (const secret of [old, fresh, [other, fresh], [other, old]]) {
      expect(await verifyWebhook({ secret, headers, body })).toMatchObject({ event_id: id });
    }
    const none = verifyWebhook({ secret: [other], headers, body });
    await expect(none).rejects.toMatchObject({ code: 'signature_wrong' });
  });
});

describe('verifyWebhook', () => {
  const body = JSON.stringify({ event_id: 'evt_1', type: 'link.created', title: 'Zoë ☂' });
  const at = (ms: number): string => String(Math.floor(ms / 1000));
  const signed = (ms = nowMs, text = body): Record<string, string> => ({
    'webhook-id': 'evt_1',
    'webhook-timestamp': at(ms),
    'webhook-signature': new Webhook(secret).sign('evt_1', new Date(ms), text),
  });
  const good: ReceivedWebhook = { secret, headers: signed(), body, nowMs };

  it.each<[string, Partial<ReceivedWebhook>]>([
    ['a text', {}],
    ['bytes', { body: new TextEncoder().encode(body) }],
    ['headers of fetch', { headers: new Headers(signed()) }],
    ['headers in capitals', { headers: { 'Webhook-Id': 'evt_1', ...capitals(signed()) } }],
    ['a second signature, of a scheme to come', { headers: several('v2,AAAA') }],
    ['many that are wrong before it', { headers: several(...Array(9).fill('v1,AAAA')) }],
    ['a time five minutes ago', { headers: signed(nowMs - 5 * minuteMs) }],
    ['a time in five minutes', { headers: signed(nowMs + 5 * minuteMs) }],
    [
      'a time an hour ago where that is good',
      {
        headers: signed(nowMs - 60 * minuteMs),
        toleranceMs: 61 * minuteMs,
      },
    ],
  ])('accepts %s', async (_what, changes) => {
    expect(await verifyWebhook({ ...good, ...changes })).toEqual(JSON.parse(body));
  });

  const of = (name: string, value: string | undefined) => ({
    headers: { ...signed(), [name]: value },
  });
  it.each<[string, Partial<ReceivedWebhook>, string]>([
    ['six minutes old', { headers: signed(nowMs - 6 * minuteMs) }, 'timestamp_too_old'],
    ['six minutes ahead', { headers: signed(nowMs + 6 * minuteMs) }, 'timestamp_too_new'],
    ['too old for less', { nowMs: nowMs + 2000, toleranceMs: 1000 }, 'timestamp_too_old'],
    ['with another time', of('webhook-timestamp', at(nowMs + 1000)), 'signature_wrong'],
    ['without an id', of('webhook-id', undefined), 'headers_missing'],
    ['without a time', of('webhook-timestamp', ''), 'headers_missing'],
    ['without a signature', of('webhook-signature', undefined), 'headers_missing'],
    ['with a time that is none', of('webhook-timestamp', '1e9'), 'timestamp_invalid'],
    ['with a time below zero', of('webhook-timestamp', '-5'), 'timestamp_invalid'],
    ['with a signature of no scheme', of('webhook-signature', 'abc'), 'signature_wrong'],
    ['with a signature that is no base64', of('webhook-signature', 'v1,%%%'), 'signature_wrong'],
    ['with an empty signature', of('webhook-signature', 'v1,'), 'signature_wrong'],
    [
      'with more signatures than there can be',
      {
        headers: several(...Array(10).fill('v1,AAAA')),
      },
      'signature_wrong',
    ],
    [
      'that was written again',
      { body: JSON.stringify(JSON.parse(body), null, 1) },
      'signature_wrong',
    ],
    ['with another letter', { body: body.replace('ë', 'e') }, 'signature_wrong'],
    ['for a secret that is none', { secret: 'whsec_%%%' }, 'secret_invalid'],
    ['for an empty secret', { secret: 'whsec_' }, 'secret_invalid'],
    ['for no secret', { secret: [] }, 'signature_wrong'],
    ['that is no JSON', { body: 'no', headers: signed(nowMs, 'no') }, 'body_unreadable'],
  ])('rejects a webhook %s', async (_what, changes, code) => {
    const taken = verifyWebhook({ ...good, ...changes });
    await expect(taken).rejects.toBeInstanceOf(WebhookRefused);
    await expect(taken).rejects.toMatchObject({ code });
  });

  function capitals(headers: Record<string, string>): Record<string, string> {
    const named = Object.entries(headers).map(([name, value]) => [name.toUpperCase(), value]);
    return Object.fromEntries(named) as Record<string, string>;
  }

  function several(...before: string[]): Record<string, string> {
    const { 'webhook-signature': signature = '' } = signed();
    return { ...signed(), 'webhook-signature': [...before, signature].join(' ') };
  }
});
