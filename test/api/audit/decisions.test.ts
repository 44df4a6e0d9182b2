import type { Client } from '@temporalio/client';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  submitProofUpdate,
  trustCheckWorkflowId,
} from '../../../workflows/trust-check/messages.ts';
import { insertUnsure } from '../../support/checks/unsure.ts';
import {
  call,
  collecting,
  newLink,
  passedSession,
  withAffidavit,
} from '../../support/http/client.ts';
import { audited, type AuditLine } from '../../support/people/audited.ts';
import { eventually } from '../../support/platform/harness.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';
import { connectClient } from '../../support/platform/temporal-client.ts';

const { own, databaseUrl } = ownPlatform();
let client: Client;
beforeAll(async () => {
  client = await connectClient();
});
afterAll(() => client.connection.close());

const told = async (id: string): Promise<AuditLine[]> =>
  (await audited(own)).filter(({ object_id }) => object_id === id);
const ask = (id: string, what: string, body: unknown = {}) =>
  call('POST', `/v2/trust-checks/${id}/${what}`, { token: own.api_key, body });
const keyId = own.api_key.slice(0, own.api_key.lastIndexOf('_'));

it('a review that decided is audited without its note', async () => {
  const session = await collecting(await newLink());
  const submission_id = await insertUnsure(databaseUrl, session.id);
  const handle = client.workflow.getHandle(trustCheckWorkflowId(session.id));
  await handle.executeUpdate(submitProofUpdate, { args: [{ proof: 'phone', submission_id }] });
  const body = { decision: 'reject', note: 'this is nobody else’s business' };
  expect((await ask(session.id, 'review', body)).body['status']).toBe('failed');
  // A review that comes too late decides nothing and is not audited.
  expect((await ask(session.id, 'review', { ...body, decision: 'approve' })).status).toBe(409);
  const rows = await told(session.id);
  expect(rows.map(({ action, actor, details }) => [action, actor, details])).toEqual([
    [
      'trust_check.reviewed',
      keyId,
      { decision: 'reject', review_id: expect.stringMatching(/^rev_/) },
    ],
  ]);
});

it('a revocation and a redaction are audited once, even if repeated', async () => {
  const session = await passedSession();
  await withAffidavit(session);
  for (const what of ['revoke', 'revoke', 'redact', 'redact']) {
    const done = await eventually(what, async () => {
      const answer = await ask(session.id, what);
      return answer.status === 200 ? answer : null;
    });
    expect(done.status).toBe(200);
  }
  expect((await told(session.id)).map(({ action, actor }) => [action, actor])).toEqual([
    ['trust_check.redacted', keyId],
    ['trust_check.revoked', keyId],
  ]);
});
