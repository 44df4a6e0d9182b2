import { beforeAll, expect, it } from 'vitest';
import { claimNames } from '../../../domain/names.ts';
import { beginSession, call, withAffidavit } from '../../support/http/client.ts';
import { newTrialAccount } from '../../support/people/accounts.ts';

let account: Awaited<ReturnType<typeof newTrialAccount>>;
beforeAll(async () => {
  account = await newTrialAccount(`claims-${process.pid}`);
});

/** Passes a check of a document and a phone number on a link that requests every claim. */
async function passedAs(agreed: readonly string[]) {
  const { app_id: appId, test_key: token } = account;
  const body = { required_proofs: ['document', 'phone'], requested_claims: claimNames };
  const link = await call('PUT', `/v2/link/${appId}`, { token, body });
  const session = await beginSession(String(link.body['link_uuid']), 'web', {
    sandbox_subject: 'pass',
  });
  await session.lead('open');
  await session.lead('pair');
  await session.lead('consent', { accepted: true, tos_version: '1', claims: agreed });
  const headers = { 'content-type': 'application/octet-stream' };
  const path = `/v2/trust-checks/${session.id}/evidence/front`;
  const file = await call('PUT', path, { token: session.token, raw: 'any image', headers });
  await session.lead('proofs/document', { front: file.body['evidence_id'] });
  await session.lead('proofs/phone', { code: '000000' });
  return { session, body: (await withAffidavit(session)).body };
}

it('a test check releases every claim that was both requested and consented to', async () => {
  const agreed = claimNames.filter((name) => name !== 'nationality');
  const { session, body } = await passedAs([...agreed, 'sex']);
  expect(body['claims']).toEqual({
    full_name: 'ANNA MARIA ERIKSSON',
    age_over_18: true,
    date_of_birth: '1974-08-12',
    place_of_birth: 'ZENITH',
    region: 'UT-ZE',
    document_type: 'passport',
    document_number: 'L898902C3',
    issuing_country: 'UTO',
    expires_on: '2099-12-31',
    phone_number: '+12025550100',
  });
  const { text } = await session.get();
  const events = `/v2/trust-checks/${session.id}/events`;
  const told = await call('GET', events, { token: account.test_key });
  expect(text).toContain('L898902C3');
  expect(told.text).not.toMatch(/ERIKSSON|L898902C3|ZENITH|1974-08-12/);
});

it('a test check releases nothing without consent', async () => {
  const { body } = await passedAs([]);
  expect(body).toMatchObject({ status: 'passed', claims: {} });
});
