import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { describe, expect, it } from 'vitest';
import { trustCheckWorkflowId } from '../../../workflows/trust-check/messages.ts';
import { beginSession, call, newLink } from '../../support/http/client.ts';
import { openTestDb } from '../../support/platform/harness.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';
import { connectClient } from '../../support/platform/temporal-client.ts';

const { own, foreign, databaseUrl } = ownPlatform();
const at = (id: string): string => `/v2/trust-checks/${id}`;
const reasonSeenBy = async (id: string, token: string): Promise<unknown> =>
  (await call('GET', at(id), { token })).body['cancel_reason'];

/**
 * Returns the workflow history of a session with its payloads decrypted, as an operator with the
 * key reads it.
 */
async function historyOf(id: string): Promise<string> {
  const client = await connectClient();
  const history = await client.workflow.getHandle(trustCheckWorkflowId(id)).fetchHistory();
  const updates = (history.events ?? []).flatMap(
    ({ workflowExecutionUpdateAcceptedEventAttributes: accepted }) =>
      accepted?.acceptedRequest?.input?.args?.payloads ?? [],
  );
  const [codec] = client.options.loadedDataConverter.payloadCodecs;
  const opened = (await codec?.decode(updates)) ?? [];
  await client.connection.close();
  const plain = opened.map(({ data }) => Buffer.from(data ?? []).toString());
  expect(plain.join()).toContain('requester_canceled');
  return historyToJSON(history) + plain.join();
}

describe('the reason of a cancellation', () => {
  it('is shown only to the account, never in events, histories or plain columns', async () => {
    const session = await beginSession(await newLink());
    const reason = `The vacancy of reference ${session.id.slice(-8)} is filled`;
    const body = { reason: `  ${reason} ` };
    const canceled = await call('POST', `${at(session.id)}/cancel`, { token: own.api_key, body });
    expect([canceled.status, canceled.body['status']]).toEqual([200, 'canceled']);
    expect(await reasonSeenBy(session.id, own.api_key)).toBe(reason);
    expect(await reasonSeenBy(session.id, own.member.session_token)).toBe(reason);
    expect(await reasonSeenBy(session.id, session.token)).toBeNull();
    expect((await call('GET', at(session.id), { token: foreign.api_key })).status).toBe(404);

    const events = await call('GET', `${at(session.id)}/events`, { token: own.api_key });
    expect(events.text).toContain('trust_check.canceled');
    expect(events.text).not.toContain('vacancy');
    expect(await historyOf(session.id)).not.toContain('vacancy');
    const db = openTestDb(databaseUrl);
    const { rows } = await db.query(
      `SELECT t::text AS text, position($2::bytea IN t.cancel_reason_sealed) AS plain
       FROM trust_checks t WHERE link_session_id = $1`,
      [session.id, Buffer.from('vacancy')],
    );
    await db.end();
    expect(rows).toEqual([{ text: expect.not.stringContaining('vacancy'), plain: 0 }]);
  });

  it('is optional, and only the reason of the first party to cancel is stored', async () => {
    const session = await beginSession(await newLink());
    await session.step('cancel', { reason: 'I was asked by mistake' });
    const late = { token: own.api_key, body: { reason: 'too late' } };
    expect((await call('POST', `${at(session.id)}/cancel`, late)).status).toBe(409);
    expect(await reasonSeenBy(session.id, own.api_key)).toBe('I was asked by mistake');
    const silent = await beginSession(await newLink());
    await silent.step('cancel');
    expect(await reasonSeenBy(silent.id, own.api_key)).toBeNull();
  });

  it('is at most 200 characters long', async () => {
    const session = await beginSession(await newLink());
    const long = await session.step('cancel', { reason: 'x'.repeat(201) });
    expect(long.status).toBe(422);
    expect((await session.step('cancel', { reason: 'x'.repeat(200) })).status).toBe(200);
  });

  it('is removed when its session is redacted', async () => {
    const session = await beginSession(await newLink());
    await session.step('cancel', { reason: 'I am somebody else' });
    const options = { token: own.api_key, body: {} };
    expect((await call('POST', `${at(session.id)}/redact`, options)).status).toBe(200);
    expect(await reasonSeenBy(session.id, own.api_key)).toBeNull();
  });
});
