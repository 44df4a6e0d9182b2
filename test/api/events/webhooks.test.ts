import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bodyOfEvent, objectOfEvent } from '../../../api/events/payloads.ts';
import { sampleOf } from '../../../api/events/sample.ts';
import { eventTypes } from '../../../workflows/events.ts';
import { beginSession, call, newLink } from '../../support/http/client.ts';
import { eventually } from '../../support/platform/harness.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';

const { own, foreign } = ownPlatform();
const at = `/v2/accounts/${own.account_id}/webhook-endpoints`;

interface Received {
  readonly path: string;
  readonly headers: Record<string, string>;
  readonly body: string;
}

const received: Received[] = [];
const answers = new Map<string, number[]>();
let server: Server;
let origin = '';

async function textOf(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts).toString();
}

beforeAll(async () => {
  const take = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await textOf(request);
    const path = request.url ?? '';
    received.push({ path, headers: request.headers as Record<string, string>, body });
    response.writeHead(answers.get(path)?.shift() ?? 200).end('thanks');
  };
  server = createServer((request, response) => void take(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterAll(() => new Promise((resolve) => server.close(resolve)));

async function newEndpoint(path: string, types: string[] = []) {
  const made = await call('POST', at, {
    token: own.api_key,
    body: { url: `${origin}${path}`, types },
  });
  expect(made.status).toBe(201);
  return { id: String(made.body['endpoint_id']), secret: String(made.body['secret']) };
}

const deliveredTo = (path: string) => received.filter((one) => one.path === path);

describe('webhooks', () => {
  it('deliver the event with its id and a signature that the library verifies', async () => {
    const { secret, id } = await newEndpoint('/signed', ['trust_check.created']);
    const reference_id = 'delivered/7';
    const session = await beginSession(await newLink({ reference_id }));
    const one = await eventually('the delivery', async () =>
      deliveredTo('/signed').find(({ body }) => body.includes(session.id)),
    );
    expect(() => new Webhook(secret).verify(one.body, one.headers)).not.toThrow();
    expect(() => new Webhook(secret).verify(`${one.body} `, one.headers)).toThrow();
    const event = JSON.parse(one.body) as { event_id: string };
    expect(one.headers['webhook-id']).toBe(event.event_id);
    const pulled = await call('GET', `/v2/events/${event.event_id}`, { token: own.api_key });
    expect(pulled.text).toBe(one.body);
    expect(event).toMatchObject({ data: { object: { reference_id } } });
    const list = await eventually('the attempt in the list', async () => {
      const { body } = await call('GET', `${at}/${id}/deliveries`, { token: own.api_key });
      const items = body['items'] as { status: string; attempts: { status: number }[] }[];
      return items[0]?.status === 'delivered' ? items : null;
    });
    expect(list[0]?.attempts).toMatchObject([
      { attempt: 1, status: 200, response_start: 'thanks' },
    ]);
  });

  it('are retried after a failure with the same id', async () => {
    answers.set('/flaky', [500]);
    await newEndpoint('/flaky', ['trust_check.created']);
    const session = await beginSession(await newLink());
    const mine = () => deliveredTo('/flaky').filter(({ body }) => body.includes(session.id));
    await eventually('the second attempt', async () => mine().length >= 2);
    const ids = mine().map(({ headers }) => headers['webhook-id']);
    expect(new Set(ids).size).toBe(1);
  });

  it('are disabled by 410', async () => {
    answers.set('/gone', [410]);
    const { id } = await newEndpoint('/gone', ['trust_check.created']);
    await beginSession(await newLink());
    await eventually('the endpoint to be disabled', async () => {
      const { body } = await call('GET', `${at}/${id}`, { token: own.api_key });
      return body['status'] === 'disabled' && body['disabled_reason'] === 'gone';
    });
  });

  it('are signed with both secrets after a rotation and replayed on request', async () => {
    const { id, secret } = await newEndpoint('/rotated', ['trust_check.created']);
    const rotated = await call('POST', `${at}/${id}/rotate-secret`, {
      token: own.api_key,
      body: {},
    });
    const session = await beginSession(await newLink());
    const mine = () => deliveredTo('/rotated').filter(({ body }) => body.includes(session.id));
    const one = await eventually('the delivery', async () => mine()[0]);
    for (const each of [secret, String(rotated.body['secret'])]) {
      expect(() => new Webhook(each).verify(one.body, one.headers)).not.toThrow();
    }
    const delivery = await eventually('the delivery to be done', async () => {
      const { body } = await call('GET', `${at}/${id}/deliveries`, { token: own.api_key });
      const items = body['items'] as { delivery_id: string; status: string }[];
      return items.find(({ status }) => status === 'delivered');
    });
    const path = `${at}/${id}/deliveries/${delivery.delivery_id}/replay`;
    expect((await call('POST', path, { token: own.api_key, body: {} })).status).toBe(201);
    await eventually('the replay', async () => mine().length === 2);
    expect(mine()[1]?.headers['webhook-id']).toBe(mine()[0]?.headers['webhook-id']);
  });
});

describe('webhook endpoints', () => {
  it('return their secret once and are restricted to ADMINs', async () => {
    const { id } = await newEndpoint('/once');
    const shown = await call('GET', `${at}/${id}`, { token: own.api_key });
    expect(shown.body).not.toHaveProperty('secret');
    const body = { url: `${origin}/x` };
    const member = await call('POST', at, { token: own.member.session_token, body });
    const stranger = await call('POST', at, { token: foreign.api_key, body });
    expect([member.status, stranger.status]).toEqual([403, 404]);
    const elsewhere = `/v2/accounts/${foreign.account_id}/webhook-endpoints/${id}`;
    expect((await call('GET', elsewhere, { token: foreign.api_key })).status).toBe(404);
    const removed = await call('DELETE', `${at}/${id}`, { token: own.api_key });
    expect(removed.body).toEqual({ endpoint_id: id, deleted: true });
    expect((await call('GET', `${at}/${id}`, { token: own.api_key })).status).toBe(404);
  });

  it.each(['ftp://example.test/x', 'https://user:pw@example.test/', 'nonsense'])(
    'cannot have the URL %s',
    async (url) => {
      const made = await call('POST', at, { token: own.api_key, body: { url } });
      expect(made.status).toBe(422);
    },
  );
});

describe('webhook-endpoints.test', () => {
  it.each(eventTypes.filter((type) => objectOfEvent(type)))(
    'sends %s samples that match its schema',
    (type) => {
      const facts = { event_id: 'evt_1', account_id: 1, app_id: null, created_at: new Date() };
      const parsed = bodyOfEvent(type).safeParse(sampleOf(type, facts));
      expect(parsed.error?.issues ?? []).toEqual([]);
    },
  );

  it('delivers a signed sample only to this endpoint, and to no stream', async () => {
    const { id, secret } = await newEndpoint('/sample', ['link.deleted']);
    await newEndpoint('/sample-other');
    const test = (body: unknown) => call('POST', `${at}/${id}/test`, { token: own.api_key, body });
    const made = await test({ type: 'trust_check.passed' });
    expect(made.status).toBe(201);
    const eventId = String(made.body['event_id']);
    const one = await eventually('the sample', async () =>
      deliveredTo('/sample').find(({ body }) => body.includes(eventId)),
    );
    expect(() => new Webhook(secret).verify(one.body, one.headers)).not.toThrow();
    const event = JSON.parse(one.body) as Record<string, unknown>;
    expect(event).toMatchObject({
      event_id: made.body['event_id'],
      type: 'trust_check.passed',
      livemode: false,
      data: { object: { status: 'passed', account_id: own.account_id } },
    });
    const pulled = await call('GET', `/v2/events/${String(made.body['event_id'])}`, {
      token: own.api_key,
    });
    expect(pulled.status).toBe(404);
    expect(
      deliveredTo('/sample-other').filter(({ body }) => body.includes('trust_check_sample')),
    ).toEqual([]);
  });

  it('requires a known type, an ADMIN and an enabled endpoint of the account', async () => {
    const { id } = await newEndpoint('/sample-refused');
    const path = `${at}/${id}/test`;
    const body = { type: 'trust_check.passed' };
    expect((await call('POST', path, { token: own.api_key, body: { type: 'x' } })).status).toBe(
      422,
    );
    const member = await call('POST', path, { token: own.member.session_token, body });
    expect([member.status, member.body['code']]).toEqual([403, 'role_required']);
    expect((await call('POST', path, { token: foreign.api_key, body })).status).toBe(404);
    await call('PATCH', `${at}/${id}`, { token: own.api_key, body: { status: 'disabled' } });
    const disabled = await call('POST', path, { token: own.api_key, body });
    expect([disabled.status, disabled.body['code']]).toEqual([409, 'invalid_state']);
  });
});
