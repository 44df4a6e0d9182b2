import { afterAll, beforeAll, expect, it } from 'vitest';
import { recoverPerson } from '../../../cli/admin/recover.ts';
import { developmentUrls } from '../../../cli/data-directory/database-urls.ts';
import type { Seed } from '../../../cli/data-directory/seed.ts';
import { enroll, newPhone } from '../../support/checks/phone.ts';
import { commandHere } from '../../support/commands/command-here.ts';
import { call } from '../../support/http/client.ts';
import { ownSealer } from '../../support/keys/own-sealer.ts';
import { newAccount } from '../../support/people/accounts.ts';
import { audited } from '../../support/people/audited.ts';
import { emailSession, newEmailUser } from '../../support/people/email-users.ts';
import { newSubject, textsTo } from '../../support/people/recoveries.ts';
import { eventually, openTestDb } from '../../support/platform/harness.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';

const { databaseUrl, dataDir } = ownPlatform();
const db = openTestDb(databaseUrl);
let account: Seed;
beforeAll(async () => {
  account = await newAccount(`operator-${process.pid}-${Date.now()}`);
});
afterAll(() => db.end());

const recover = (polyUserId: string): Promise<string> => {
  const given = { polyUserId, account: String(account.account_id) };
  return recoverPerson(db, given, ownSealer(db), new Date());
};

it('the operator can admit a member of an account with a single ADMIN', async () => {
  const subject = await newSubject(db, account, { isKnown: false });
  const id = await recover(subject.polyUserId);
  const { body } = await call('GET', subject.at, { token: account.api_key });
  expect(body['items']).toMatchObject([
    { recovery_id: id, status: 'approved', proof: null, opened_by: 'operator' },
  ]);
  await expect(recover(subject.polyUserId)).rejects.toThrow('another recovery');
  const token = await emailSession(db, subject.polyUserId);
  expect((await enroll(await newPhone(), {}, { token })).status).toBe(201);
  expect((await enroll(await newPhone(), {}, { token })).body['code']).toBe('step_up_required');
  const told = (await audited(account)).filter(({ object_id: of }) => of === subject.polyUserId);
  expect(told.map(({ action, actor }) => [action, actor])).toEqual([
    ['recovery.completed', subject.polyUserId],
    ['recovery.approved', 'operator'],
  ]);
  await eventually('two mails', async () => (await textsTo(subject.address)).length === 2);
});

it('a recovery revokes the other devices even if all certificates expired meanwhile', async () => {
  const subject = await newSubject(db, account, { isKnown: false });
  await recover(subject.polyUserId);
  await db.query(
    `UPDATE certificates SET not_after = now() - interval '1 second' WHERE poly_user_id = $1`,
    [subject.polyUserId],
  );
  const token = await emailSession(db, subject.polyUserId);
  const enrolled = await enroll(await newPhone(), {}, { token });
  expect(enrolled.status).toBe(201);
  const { body } = await call('GET', subject.at, { token: account.api_key });
  expect(body['items']).toMatchObject([
    { status: 'completed', device_id: enrolled.body['device_id'] },
  ]);
  const devices = await call('GET', '/v2/devices', { token });
  expect(devices.body['items']).toMatchObject([{ status: 'active' }, { status: 'revoked' }]);
});

it('strangers and people without a device are refused', async () => {
  const { account_id: accountId } = account;
  await expect(recover('pu_0')).rejects.toThrow(`account ${accountId} has no member pu_0`);
  const { polyUserId } = await newEmailUser(db, { [accountId]: ['MEMBER'] });
  await expect(recover(polyUserId)).rejects.toThrow('no certified device');
});

it('the operator runs it as a command', async () => {
  const words = ['admin', 'recover', 'pu_0', '--account', String(account.account_id)];
  const env = { MIGRATIONS_DATABASE_URL: developmentUrls(databaseUrl).owner };
  const { code, stderr } = await commandHere(dataDir, words, env);
  expect([code, stderr]).toEqual([1, `account ${account.account_id} has no member pu_0\n`]);
});
