import { expect, it } from 'vitest';
import {
  call,
  codeFor,
  collecting,
  newNumber,
  type Session,
} from '../../../support/http/client.ts';
import { askCode, anotherAccount, codeSession } from '../../../support/people/sms.ts';
import { openTestDb } from '../../../support/platform/harness.ts';
import { ownPlatform } from '../../../support/platform/own-platform.ts';

/** Returns the phone proof of a session as this token reads it. */
async function proofAt({ id }: Session, token: string): Promise<Record<string, unknown>> {
  const { body } = await call('GET', `/v2/trust-checks/${id}`, { token });
  const proofs = body['proofs'] as Record<string, unknown>[];
  return proofs.find(({ type }) => type === 'phone') ?? {};
}

it('a check shows its sent code only to the subject, until the code is entered', async () => {
  const account = await anotherAccount('sent-code');
  const made = await call('PUT', `/v2/link/${account.app_id}`, {
    token: account.api_key,
    body: { required_proofs: ['phone', 'document'] },
  });
  const session = await collecting(String(made.body['link_uuid']));
  expect((await proofAt(session, session.token))['sent_code']).toBeNull();
  const number = newNumber();
  const sent = await askCode(session, number);
  expect(sent.status).toBe(202);
  expect((await proofAt(session, session.token))['sent_code']).toEqual(sent.body);
  expect(await proofAt(session, account.api_key)).not.toHaveProperty('sent_code');

  const type = async (code: string) =>
    call('POST', `/v2/trust-checks/${session.id}/proofs/phone`, {
      token: session.token,
      body: { code },
    });
  const code = await codeFor(number);
  await type(code === '000000' ? '000001' : '000000');
  expect((await proofAt(session, session.token))['sent_code']).toEqual(sent.body);
  expect((await type(code)).status).toBe(200);
  expect(await proofAt(session, session.token)).toMatchObject({
    status: 'passed',
    sent_code: null,
  });
});

it('a check does not show a code that has expired', async () => {
  const session = await codeSession(await anotherAccount('expired-code'));
  await askCode(session, newNumber());
  const db = openTestDb(ownPlatform().databaseUrl);
  await db.query('UPDATE phone_codes SET expires_at = now() WHERE link_session_id = $1', [
    session.id,
  ]);
  await db.end();
  expect((await proofAt(session, session.token))['sent_code']).toBeNull();
});
