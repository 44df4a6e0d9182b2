import { describe, expect, it } from 'vitest';
import { call } from '../../../support/http/client.ts';
import { audited } from '../../../support/people/audited.ts';
import { anotherAccount, codeSession } from '../../../support/people/sms.ts';
import { uploadTo } from '../submit/uploaded.ts';
import { objectOf, retentionRounds } from './retention-rounds.ts';

const { database, ended, round } = retentionRounds();

/** An account, and a check of it that ended with a file. */
async function endedCheck(days: number) {
  const account = await anotherAccount('retention');
  const keep = async (image_retention_days: number): Promise<void> => {
    const path = `/v2/accounts/${account.account_id}`;
    const body = { image_retention_days };
    expect((await call('PATCH', path, { token: account.api_key, body })).status).toBe(200);
  };
  await keep(days);
  const session = await codeSession(account);
  const { evidenceId } = await uploadTo(session);
  const canceled = await call('POST', `/v2/trust-checks/${session.id}/cancel`, {
    token: account.api_key,
    body: {},
  });
  expect(canceled.body['status']).toBe('canceled');
  const isThere = async (): Promise<boolean> => (await objectOf(session.id, evidenceId)) !== null;
  return { account, id: session.id, isThere, keep };
}

describe('images of a check', () => {
  it('go earlier when their account lowers its days: at once, never before the end', async () => {
    const { account, id, isThere, keep } = await endedCheck(30);
    const running = await codeSession(account);
    const { evidenceId } = await uploadTo(running);
    await ended(id, '29 days 23 hours');
    await round();
    expect(await isThere()).toBe(true);
    await keep(0);
    // An upload that is under way at the end of its check may have put its object yet.
    await ended(id, '4 minutes');
    await round();
    expect(await isThere()).toBe(true);
    await ended(id, '5 minutes');
    await round();
    expect(await isThere()).toBe(false);
    expect(await objectOf(running.id, evidenceId)).not.toBeNull();
  });

  it('go when consent said so, though their account keeps images for longer now', async () => {
    const { account, id, isThere, keep } = await endedCheck(3);
    await keep(30);
    const later = await codeSession(account);
    const { evidenceId } = await uploadTo(later);
    await later.lead('cancel');
    await Promise.all([ended(id, '2 days 23 hours'), ended(later.id, '29 days 23 hours')]);
    await round();
    expect(await isThere()).toBe(true);
    await ended(id, '3 days');
    await round();
    expect(await isThere()).toBe(false);
    expect(await objectOf(later.id, evidenceId)).not.toBeNull();
    const rows = (await audited(account)).filter((row) => row.object_id === id);
    expect(rows.map(({ details }) => details['days'])).toContain(3);
  });

  it('go as their account has it where a process of before began the check', async () => {
    const { id, isThere } = await endedCheck(3);
    await database().query(
      'UPDATE trust_checks SET image_retention_days = NULL WHERE link_session_id = $1',
      [id],
    );
    await ended(id, '3 days');
    await round();
    expect(await isThere()).toBe(false);
  });
});
