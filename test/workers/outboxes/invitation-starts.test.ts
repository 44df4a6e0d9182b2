import type { Client } from '@temporalio/client';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Db } from '../../../db/client.ts';
import { listUninvited } from '../../../db/queries/links.ts';
import { invitationStarts } from '../../../workers/outboxes/starts/invitation-starts.ts';
import { call } from '../../support/http/client.ts';
import { eventually, openTestDb } from '../../support/platform/harness.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';
import { startSecondApi, type SecondApi } from '../../support/platform/second-api.ts';
import { connectClient } from '../../support/platform/temporal-client.ts';

const { own, databaseUrl } = ownPlatform();
const log = pino({ enabled: false });
let db: Db;
let client: Client;
/** An API without a workflow server: nothing listens on port 9 (discard) of this machine. */
let cut: SecondApi;

beforeAll(async () => {
  db = openTestDb(databaseUrl);
  client = await connectClient();
  cut = await startSecondApi({ TEMPORAL_ADDRESS: '127.0.0.1:9' });
});
afterAll(async () => {
  await cut.stop();
  await client.connection.close();
  await db.end();
});

let lastRecipient = 0;

/**
 * Sends a link by an API that answers 503; returns the recipient and a function that repeats the
 * request under the same key. A request slower than the platform's relay (five seconds) gets 200,
 * because the relay sends the mail first; then another one is made.
 */
function refusedSend() {
  return eventually('a sending that is answered 503', async () => {
    const email = `half-${process.pid}-${Date.now()}-${(lastRecipient += 1)}@example.test`;
    const ask = (at?: string, key = email) =>
      call('POST', `/v2/link/send/${own.app_id}`, {
        token: own.api_key,
        body: { send_to_email: email },
        headers: { 'idempotency-key': key },
        ...(at ? { at } : {}),
      });
    const { status, body } = await ask(cut.origin);
    if (status === 200) return null;
    expect([status, body['code']]).toEqual([503, 'dependency_unavailable']);
    return { email, ask };
  });
}

/** A sending interrupted by a crash between the row and the answer. */
async function halfSent() {
  const sent = await refusedSend();
  const { rowCount } = await db.query(
    `UPDATE links SET awaits_invitation = true, delivery = delivery || '{"status":"queued"}'
     WHERE link_uuid = (SELECT link_uuid FROM links WHERE emailed AND account_id = $1
                        ORDER BY created_at DESC LIMIT 1)
       AND delivery->>'status' = 'failed'`,
    [own.account_id],
  );
  expect(rowCount).toBe(1);
  return sent;
}

async function lettersTo(email: string): Promise<string[]> {
  const { rows } = await db.query<{ text: string }>(
    'SELECT text FROM outbox_messages WHERE recipient = $1',
    [email],
  );
  return rows.map(({ text }) => text);
}

/** The delivery status of the link in a letter. */
async function deliveryOf(letter: string): Promise<Record<string, unknown> | undefined> {
  const [, uuid] = /\/v2\/[^/\s]+\/([0-9a-f-]{36})#t=/.exec(letter) ?? [];
  const { rows } = await db.query(
    `SELECT delivery->>'status' AS status, awaits_invitation AS awaits FROM links
     WHERE link_uuid = $1`,
    [uuid],
  );
  return rows[0];
}

/** The relay of a worker with its clock past the grace period of a sending. */
const relay = () =>
  invitationStarts({ db, client, clock: () => new Date(Date.now() + 60_000), log }).drain(
    new AbortController().signal,
  );

describe('a sending that was answered with 503', () => {
  it('sends no mail later, and one mail when it is repeated under another key', async () => {
    const { email, ask } = await refusedSend();
    await relay();
    const again = await ask(undefined, `${email}/again`);
    expect([again.status, again.body['delivery']]).toEqual([200, { status: 'queued' }]);
    const letters = await eventually('its letter', async () => {
      const found = await lettersTo(email);
      return found.length > 0 && found;
    });
    expect(letters[0]).toContain(String(again.body['link_uuid']));
    await relay();
    expect(await lettersTo(email)).toHaveLength(1);
    const { rows } = await db.query(
      `SELECT link_uuid, delivery->>'status' AS status, awaits_invitation AS awaits FROM links
       WHERE emailed AND link_uuid <> $1 AND recipient_blind =
         (SELECT recipient_blind FROM links WHERE link_uuid = $1)`,
      [again.body['link_uuid']],
    );
    expect(rows).toMatchObject([{ status: 'failed', awaits: false }]);
    const told = await call('GET', `/v2/events?stream=link:${String(rows[0].link_uuid)}`, {
      token: own.api_key,
    });
    const types = (told.body['items'] as { type: string }[]).map(({ type }) => type);
    expect(types).toEqual(['link.created', 'link.delivery_updated']);
  });

  it('mails its link when it is repeated under the same key', async () => {
    const { email, ask } = await refusedSend();
    const again = await ask();
    expect([again.status, again.body['delivery']]).toEqual([200, { status: 'queued' }]);
    const [letter = ''] = await eventually('its letter', async () => {
      const found = await lettersTo(email);
      return found.length > 0 && found;
    });
    expect(letter).toContain(String(again.body['link_uuid']));
    await eventually('its delivery', async () => (await deliveryOf(letter))?.['status'] === 'sent');
    await relay();
    expect(await lettersTo(email)).toHaveLength(1);
  });
});

describe('an invitation without a started workflow', () => {
  it('is mailed by the workers, and then has the status sent', async () => {
    const { email } = await halfSent();
    expect(await lettersTo(email)).toEqual([]);
    const [letter = ''] = await eventually('its letter', async () => {
      const letters = await lettersTo(email);
      return letters.length > 0 && letters;
    });
    await eventually('its delivery', async () => (await deliveryOf(letter))?.['status'] === 'sent');
    expect(await deliveryOf(letter)).toEqual({ status: 'sent', awaits: false });
    await relay();
    expect(await lettersTo(email)).toHaveLength(1);
  });

  it('is mailed once when relays and repeated requests start it at the same time', async () => {
    const halves: Awaited<ReturnType<typeof halfSent>>[] = [];
    for (let place = 0; place < 6; place += 1) halves.push(await halfSent());
    const [answers] = await Promise.all([
      Promise.all(halves.map(({ ask }) => ask())),
      ...Array.from({ length: 4 }, relay),
    ]);
    for (const [index, { email }] of halves.entries()) {
      expect(answers[index]?.status).toBe(200);
      await eventually('its letter', async () => (await lettersTo(email)).length > 0);
    }
    await relay();
    for (const { email } of halves) expect(await lettersTo(email)).toHaveLength(1);
  });

  it('is not listed when its sending succeeded, nor is a link without mail', async () => {
    const sent = await call('POST', `/v2/link/send/${own.app_id}`, {
      token: own.api_key,
      body: { send_to_email: 'sent@example.test' },
    });
    const made = await call('PUT', `/v2/link/${own.app_id}`, { token: own.api_key, body: {} });
    const unsent = await listUninvited(db, {
      made_until: new Date(Date.now() + 60_000),
      limit: 1000,
      without: [],
    });
    const uuids = unsent.map(({ link_uuid }) => link_uuid);
    expect(uuids).not.toContain(sent.body['link_uuid']);
    expect(uuids).not.toContain(made.body['link_uuid']);
  });
});
