import { describe, expect, it } from 'vitest';
import { call, clientOf, codeFor, newNumber } from '../../support/http/client.ts';
import { newAccount } from '../../support/people/accounts.ts';
import { eventually } from '../../support/platform/harness.ts';

/** Returns a check with affidavit that a signed-in person failed, in an account of its own. */
async function failedCheck(subject_reasons: 'plain' | 'neutral') {
  const account = await newAccount(`withheld-${process.pid}-${newNumber().slice(1)}`);
  const { account_id, app_id, api_key, subject } = account;
  const client = clientOf(api_key);
  await client.accounts.update({ account_id, body: { subject_reasons } });
  const asked = { required_proofs: ['phone' as const], max_attempts: 1 };
  const { link_uuid } = await client.links.create({ app_id, body: asked });
  const begun = await clientOf(subject.session_token).trustChecks.begin({
    body: { link_uuid, client: 'web' },
  });
  const id = begun.link_session_id;
  const person = clientOf(begun.check_token);
  await person.trustChecks.open({ id });
  await person.trustChecks.pair({ id });
  await person.trustChecks.consent({
    id,
    body: { accepted: true, tos_version: '1', claims: [] },
  });
  const phone_number = newNumber();
  await person.trustChecks.sendCode({ id, body: { phone_number } });
  const code = (await codeFor(phone_number)) === '000000' ? '000001' : '000000';
  await person.trustChecks.submitProof({ id, proof: 'phone', body: { code } });
  await eventually('the affidavit', async () => {
    const { affidavit } = await client.trustChecks.get({ id });
    return affidavit.status === 'available';
  });
  const ask = (path: string, token: string) => call('GET', path, { token });
  const paths = [`/v2/affidavits/${app_id}/${id}/download`, `/v2/trust-checks/${id}/evidence`];
  return {
    statusesFor: async (token: string) =>
      Promise.all(paths.map(async (path) => (await ask(path, token)).status)),
    ownReason: async () => {
      const { body } = await ask('/v2/logs/me', subject.session_token);
      return (body['items'] as { reason_code: string | null }[]).map((row) => row.reason_code);
    },
    account,
  };
}

describe('a signed-in person who failed a check', () => {
  it('can read the reason in the log, the affidavit and the evidence', async () => {
    const { account, statusesFor, ownReason } = await failedCheck('plain');
    expect(await ownReason()).toEqual(['max_attempts_reached']);
    expect(await statusesFor(account.subject.session_token)).toEqual([302, 200]);
  });

  it('cannot read the reason if the account withholds reasons, while an ADMIN can', async () => {
    const { account, statusesFor, ownReason } = await failedCheck('neutral');
    expect(await ownReason()).toEqual([null]);
    expect(await statusesFor(account.subject.session_token)).toEqual([404, 404]);
    expect(await statusesFor(account.admin.session_token)).toEqual([302, 200]);
  });
});
