import { afterAll, describe, expect, it } from 'vitest';
import { events } from '../../../api/mail/events.ts';
import { call, newLink, type Answer } from '../../support/http/client.ts';
import { eventually, openTestDb } from '../../support/platform/harness.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';
import { eventsRequest, mailEvent } from '../../support/stand-ins/mail/sendgrid-events.ts';

const { own, databaseUrl } = ownPlatform();
const { app_id: app, api_key: token } = own;
const db = openTestDb(databaseUrl);
afterAll(() => db.end());

let last = 0;
const newId = (): string => `event-${process.pid}-${(last += 1)}`;
const post = (request: Parameters<typeof call>[2]): Promise<Answer> =>
  call('POST', '/v2/mail/events', request);
const deliveryOf = async (uuid: string): Promise<unknown> =>
  Object((await call('GET', `/v2/raw/${uuid}`, { token })).body['delivery']).status;

/** Returns a link with an invitation that was handed to the provider. */
async function mailed(): Promise<string> {
  const body = { send_to_email: `${newId()}@example.test`, required_proofs: ['phone'] };
  const sent = await call('POST', `/v2/link/send/${app}`, { token, body });
  expect(sent.status).toBe(200);
  const uuid = String(sent.body['link_uuid']);
  await become(uuid, 'sent');
  return uuid;
}

const become = (uuid: string, status: string): Promise<unknown> =>
  eventually(`the delivery ${status}`, async () => (await deliveryOf(uuid)) === status);

async function toldOf(uuid: string): Promise<unknown[]> {
  const { body } = await call('GET', `/v2/events?stream=link:${uuid}`, { token });
  const items = body['items'] as { type: string; data: { object: Record<string, unknown> } }[];
  return items.flatMap(({ type, data }) =>
    type === 'link.delivery_updated' ? [data.object['delivery_status']] : [],
  );
}

/** Waits until the report has reached the link or the workflow that mails it. */
async function passedOn(uuid: string): Promise<void> {
  await eventually('the word to be passed on', async () => {
    const { rows } = await db.query(
      'SELECT 1 FROM mail_reports WHERE link_uuid = $1 AND awaits_signal',
      [uuid],
    );
    return rows.length === 0;
  });
}

const keptOf = async (uuid: string): Promise<number> => {
  const { rows } = await db.query('SELECT 1 FROM mail_reports WHERE link_uuid = $1', [uuid]);
  return rows.length;
};

describe('mail.events', () => {
  it.each([
    ['delivered', 'delivered'],
    ['bounce', 'bounced'],
    ['blocked', 'blocked'],
    ['dropped', 'failed'],
    ['spamreport', 'complained'],
  ])('%s sets the delivery of a link to %s and emits an event', async (kind, status) => {
    const uuid = await mailed();
    const list = [mailEvent('processed', uuid, newId()), mailEvent(kind, uuid, newId())];
    const taken = await post(eventsRequest(list));
    expect([taken.status, taken.text]).toEqual([204, '']);
    await become(uuid, status);
    expect(await toldOf(uuid)).toEqual(['sent', status]);
  });

  it('applies a report once, however often it is repeated, also concurrently', async () => {
    const uuid = await mailed();
    const event = mailEvent('delivered', uuid, newId());
    const request = eventsRequest([event, event]);
    for (let round = 0; round < 4; round += 1) {
      const answers = await Promise.all(Array.from({ length: 50 }, () => post(request)));
      expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 204));
    }
    await become(uuid, 'delivered');
    expect(await keptOf(uuid)).toBe(1);
    expect(await toldOf(uuid)).toEqual(['sent', 'delivered']);
  });

  it.each([
    ['deferred deferred deferred, delivered delivered, spamreport complained, open complained'],
    ['spamreport complained, delivered complained, deferred complained'],
    ['dropped failed, delivered delivered, bounce bounced, delivered bounced'],
    ['blocked blocked, bounce bounced, deferred bounced, blocked bounced'],
  ])('never goes back to an earlier delivery state: %s', async (words) => {
    const uuid = await mailed();
    const steps = words.split(', ').map((step) => step.split(' '));
    for (const [kind = '', ...states] of steps) {
      for (const state of states) {
        await post(eventsRequest([mailEvent(kind, uuid, newId())]));
        await passedOn(uuid);
        await become(uuid, state);
      }
    }
    // Each state once.
    const states = steps.flatMap(([, ...reached]) => reached);
    expect(await toldOf(uuid)).toEqual(['sent', ...new Set(states)]);
    const { rows } = await db.query<{ id: string }>(
      `SELECT delivery->>'message_id' AS id FROM links WHERE link_uuid = $1`,
      [uuid],
    );
    expect(rows[0]?.id).toMatch(/^msg_/);
  });

  it('ignores reports about unknown or unmailed links', async () => {
    const uuid = await newLink();
    const list = [mailEvent('delivered', uuid, newId()), mailEvent('bounce', 'none', newId())];
    expect((await post(eventsRequest(list))).status).toBe(204);
    expect([await keptOf(uuid), await keptOf('none')]).toEqual([0, 0]);
  });

  it('rejects reports without a valid signature of the provider', async () => {
    const uuid = await newLink();
    const good = eventsRequest([mailEvent('delivered', uuid, newId())]);
    const signature = 'x-twilio-email-event-webhook-signature';
    const timestamp = 'x-twilio-email-event-webhook-timestamp';
    const without = (name: string) =>
      Object.fromEntries(Object.entries(good.headers).filter(([key]) => key !== name));
    const day = 24 * 3600_000;
    const requests = [
      { raw: good.raw },
      { ...good, headers: without(signature) },
      { ...good, headers: without(timestamp) },
      { ...good, raw: `${good.raw} ` },
      { ...good, headers: { ...good.headers, [signature]: 'nonsense' } },
      eventsRequest([mailEvent('delivered', uuid, newId())], new Date(Date.now() - 2 * day)),
      eventsRequest([mailEvent('delivered', uuid, newId())], new Date(Date.now() + day)),
    ];
    for (const request of requests) {
      const { status, body } = await post(request);
      expect([status, body['code']]).toEqual([401, 'credential_invalid']);
    }
    const long = { ...good.headers, [signature]: 'A'.repeat(201) };
    expect((await post({ ...good, headers: long })).status).toBe(422);
  });

  it('rejects signed bodies that are no list or too large', async () => {
    for (const raw of ['{}', 'nonsense', '']) {
      expect((await post(eventsRequest(raw))).status, raw).toBe(422);
    }
    const large = await post(eventsRequest('x'.repeat(2 * 1024 * 1024 + 1)));
    expect(large.status).toBe(413);
  });

  it('rejects every report if no key is configured', async () => {
    const { raw, headers } = eventsRequest([]);
    const input = { headers, body: Buffer.from(raw), call: { now: new Date() } };
    const deps = { db, settings: { mailReportKey: null } };
    await expect(events(input as never, deps as never)).rejects.toMatchObject({
      code: 'credential_invalid',
    });
  });
});
