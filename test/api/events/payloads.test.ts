import { Ajv } from 'ajv';
import { default as addFormats } from 'ajv-formats';
import { describe, expect, it } from 'vitest';
import { checkedInDocument } from '../../../api/docs/documents.ts';
import { bodyOfEvent } from '../../../api/events/payloads.ts';
import { fullReach } from '../../../db/client.ts';
import { eventObject } from '../../../db/queries/event-object.ts';
import { listAccount } from '../../../db/queries/events.ts';
import { eventTypes, type EventType } from '../../../workflows/events.ts';
import {
  beginSession,
  call,
  newLink,
  passedSession,
  withAffidavit,
} from '../../support/http/client.ts';
import { ownSealer } from '../../support/keys/own-sealer.ts';
import { openTestDb, eventually } from '../../support/platform/harness.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';
import { connect, endSockets } from './connect.ts';

const { own, databaseUrl } = ownPlatform();
endSockets();

const ajv = new Ajv({ strict: false, allErrors: true });
addFormats.default(ajv);
ajv.addSchema(JSON.parse(checkedInDocument('asyncapi.json')) as object, 'asyncapi');

/** Returns the schema violations of a message; empty if it is valid. */
function faults(message: string, value: unknown): unknown[] {
  const holds = ajv.getSchema(`asyncapi#/components/messages/${message}/payload`);
  if (!holds) throw new Error(`no message ${message}`);
  return holds(value) ? [] : (holds.errors ?? []);
}

async function makeEveryKind(): Promise<void> {
  const session = await passedSession({ single_use: true });
  await withAffidavit(session);
  const link = await newLink({ title: 'a' });
  await call('PATCH', `/v2/${link}`, { token: own.api_key, body: { title: 'b' } });
  await call('DELETE', `/v2/${link}`, { token: own.api_key });
  const declined = await beginSession(await newLink());
  await declined.step('open');
  await declined.step('pair');
  await declined.step('consent', { accepted: false, tos_version: '1' });
  await call('POST', `/v2/link/send/${own.app_id}`, {
    token: own.api_key,
    body: { send_to_email: 'payloads@example.test' },
  });
}

describe('events', () => {
  it('match the AsyncAPI document and have no undeclared members', async () => {
    await makeEveryKind();
    const db = openTestDb(databaseUrl);
    const seen = await eventually('an event of every kind', async () => {
      const rows = await listAccount(db, [own.account_id, 0, 100_000, []], fullReach);
      const types = new Set(rows.map(({ type }) => type));
      return types.has('link.delivery_updated') && types.has('affidavit.available') ? rows : null;
    });
    const sealer = ownSealer(db);
    const types = new Set<EventType>();
    for (const row of seen) {
      const event = JSON.parse(JSON.stringify(await eventObject(sealer, row))) as Record<
        string,
        unknown
      >;
      types.add(row.type);
      expect(faults(`webhook.${row.type}`, event), row.type).toEqual([]);
      expect(bodyOfEvent(row.type).parse(event), row.type).toEqual(event);
    }
    await db.end();
    expect(types.size).toBeGreaterThan(13);
  });

  it('on a socket additionally have a position', async () => {
    const session = await beginSession(await newLink());
    const socket = await connect(session.token);
    const events: { type: EventType }[] = [];
    socket.on('event', (event: { type: EventType }) => events.push(event));
    const answer: unknown = await socket
      .timeout(5_000)
      .emitWithAck('subscribe', { stream: `trust-check:${session.id}`, after: 0 });
    expect(faults('subscribed', answer)).toEqual([]);
    const refused: unknown = await socket
      .timeout(5_000)
      .emitWithAck('subscribe', { stream: `account:${own.account_id}` });
    expect(refused).toMatchObject({ ok: false });
    expect(faults('subscribed', refused)).toEqual([]);
    await eventually('the first event', async () => events.length > 0);
    for (const event of events) {
      expect(faults(`socket.${event.type}`, event)).toEqual([]);
      expect(faults(`socket.${event.type}`, { ...event, position: undefined })).not.toEqual([]);
    }
  });

  it('that lack a member or have a wrong type or time are invalid', async () => {
    const { body } = await call('GET', '/v2/events?types=link.created&limit=1', {
      token: own.api_key,
    });
    const [event] = body['items'] as Record<string, unknown>[];
    expect(faults('webhook.link.created', event)).toEqual([]);
    const { account_id: _gone, ...less } = event ?? {};
    expect(faults('webhook.link.created', less)).not.toEqual([]);
    expect(faults('webhook.link.deleted', event)).not.toEqual([]);
    expect(faults('webhook.link.created', { ...event, created_at: 'today' })).not.toEqual([]);
    expect(faults('webhook.link.created', { ...event, data: { object: {} } })).not.toEqual([]);
  });

  it('have a schema for every type', () => {
    for (const type of eventTypes) {
      expect(ajv.getSchema(`asyncapi#/components/messages/socket.${type}/payload`)).toBeDefined();
    }
  });
});
