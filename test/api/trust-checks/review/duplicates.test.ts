import { describe, expect, it } from 'vitest';
import type { Seed } from '../../../../cli/data-directory/seed.ts';
import { createDevice, type Device } from '../../../../simulator/device/device.ts';
import { phoneCheck } from '../../../../simulator/session/check.ts';
import { devTrust } from '../../../support/checks/phone.ts';
import { call, newNumber } from '../../../support/http/client.ts';
import { newAccount } from '../../../support/people/accounts.ts';
import { eventually } from '../../../support/platform/harness.ts';

const own = await newAccount('documents-app');
const trust = await devTrust();
const newPhone = (): Device => createDevice({ platform: 'ios', trust, now: () => new Date() });

/** Checks the specimen passport with this phone, on a link with this duplicates policy. */
async function check(device: Device, duplicates: 'allow' | 'review' | 'refuse', by: Seed = own) {
  const link = await call('PUT', `/v2/link/${by.app_id}`, {
    token: by.api_key,
    body: { required_proofs: ['nfc_passport'], policy: { duplicates } },
  });
  const session = await phoneCheck({
    link: String(link.body['url']),
    number: newNumber(),
    trust,
    device,
    say: () => undefined,
  });
  return read(session.link_session_id, by);
}

async function read(id: string, by: Seed) {
  const { body } = await call('GET', `/v2/trust-checks/${id}`, { token: by.api_key });
  return { ...body, id, affidavit: body['affidavit'] };
}

const decision = (outcome: string, rule: string | null) => ({
  outcome,
  rule,
  level: 'low',
  policy_version: '1',
});

describe('a document with which another person has passed', () => {
  it('is handled as a duplicate by the policy of the link', async () => {
    const [first, second] = [newPhone(), newPhone()];
    const passed = await check(first, 'refuse');
    expect(passed).toMatchObject({ status: 'passed', decision: decision('pass', null) });
    const again = await check(first, 'refuse');
    expect(again).toMatchObject({ status: 'passed' });
    expect(await check(second, 'refuse')).toMatchObject({
      status: 'failed',
      reason_code: 'duplicate_subject',
      decision: decision('fail', 'duplicates'),
    });
    const reviewed = await check(second, 'review');
    expect(reviewed).toMatchObject({
      status: 'in_review',
      reason_code: 'duplicate_subject',
      decision: decision('review', 'duplicates'),
    });
    expect(await check(newPhone(), 'allow')).toMatchObject({ status: 'passed' });
  });

  it('is not a duplicate after the other check was revoked or redacted', async () => {
    const account = await newAccount('forgotten-app');
    const [first, second] = [newPhone(), newPhone()];
    const passed = [await check(first, 'refuse', account), await check(first, 'refuse', account)];
    const refused = { status: 'failed', reason_code: 'duplicate_subject' };
    const ends = ['revoke', 'redact'];
    for (const [index, { id }] of passed.entries()) {
      expect(await check(second, 'refuse', account)).toMatchObject(refused);
      // A check cannot be redacted while its affidavit is being issued.
      await eventually('the affidavit', async () => {
        const { affidavit } = await read(id, account);
        return Object(affidavit).status === 'available';
      });
      const path = `/v2/trust-checks/${id}/${ends[index]}`;
      expect((await call('POST', path, { token: account.api_key })).status).toBe(200);
    }
    expect(await check(second, 'refuse', account)).toMatchObject({ status: 'passed' });
  });

  it('is not a duplicate in another account', async () => {
    const account = await newAccount('apart-app');
    expect(await check(newPhone(), 'refuse', account)).toMatchObject({ status: 'passed' });
  });
});
