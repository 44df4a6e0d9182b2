import { expect, it } from 'vitest';
import { call, codeFor, newNumber, type Session } from '../../../support/http/client.ts';
import { askCode, anotherAccount, codeSession } from '../../../support/people/sms.ts';

/** The proof of the phone number as a read shows it. */
async function proofAt({ id }: Session, token: string): Promise<Record<string, unknown>> {
  const { body } = await call('GET', `/v2/trust-checks/${id}`, { token });
  return (body['proofs'] as [Record<string, unknown>])[0];
}

it('shows a code that was sent to the person alone, until it is typed', async () => {
  const account = await anotherAccount('sent-code');
  const session = await codeSession(account);
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
  expect((await proofAt(session, session.token))['sent_code'] ?? null).toBeNull();
});
