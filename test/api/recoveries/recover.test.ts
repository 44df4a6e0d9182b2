import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Seed } from '../../../cli/data-directory/seed.ts';
import { addMembership } from '../../../db/queries/seeding.ts';
import { enroll, newPhone } from '../../support/checks/phone.ts';
import { call, type Answer } from '../../support/http/client.ts';
import { goodBundle, portalLogin } from '../../support/keys/bundles.ts';
import { newAccount } from '../../support/people/accounts.ts';
import { audited } from '../../support/people/audited.ts';
import { newCertUser } from '../../support/people/cert-users.ts';
import { emailSession } from '../../support/people/email-users.ts';
import {
  newSubject,
  openRecovery,
  proveRecovery,
  textsTo,
  type Subject,
} from '../../support/people/recoveries.ts';
import { eventually, openTestDb } from '../../support/platform/harness.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';

const db = openTestDb(ownPlatform().databaseUrl);
let account: Seed;
/** Another account of the person. */
let other: Seed;
let subject: Subject;
let opener: string;
let approver: string;
beforeAll(async () => {
  account = await newAccount(`recover-${process.pid}-${Date.now()}`);
  subject = await newSubject(db, account, { roles: ['ADMIN'] });
  other = await newAccount(`recover-other-${process.pid}-${Date.now()}`);
  await addMembership(db, [subject.polyUserId, other.account_id, ['MEMBER'], new Date()]);
  opener = (await newCertUser(db, account.account_id, ['ADMIN'])).token;
  approver = (await newCertUser(db, account.account_id, ['ADMIN'])).token;
}, 180_000);
afterAll(() => db.end());

const outcome = ({ status, body }: Answer): unknown[] => [status, body['code'] ?? body['status']];
const step = (id: unknown, verb: string, token: string): Promise<Answer> =>
  call('POST', `${subject.at}/${String(id)}/${verb}`, { token });

it('a person without devices can enroll a new one after a check and four-eyes approval', async () => {
  const lost = await portalLogin(await goodBundle(subject.phone));
  const byOldPhone = String(lost.body['session_token']);
  const byMail = await emailSession(db, subject.polyUserId);
  const refused = [403, 'step_up_required'];
  expect(outcome(await enroll(await newPhone(), {}, { token: byMail }))).toEqual(refused);

  const opened = await openRecovery(account, subject, opener);
  expect(outcome(opened)).toEqual([201, 'open']);
  const { recovery_id: id } = opened.body;
  expect(opened.body).toMatchObject({ proof: 'not_begun', poly_user_id: subject.polyUserId });
  expect(outcome(await openRecovery(account, subject, approver))).toEqual([409, 'recovery_open']);
  const early = await step(id, 'approve', approver);
  expect([...outcome(early), early.body['reason']]).toEqual([
    409,
    'recovery_not_proven',
    'not_begun',
  ]);
  expect(outcome(await enroll(await newPhone(), {}, { token: byMail }))).toEqual(refused);

  await proveRecovery(subject);
  const listed = await call('GET', subject.at, { token: account.api_key });
  expect(listed.body['items']).toMatchObject([{ recovery_id: id, proof: 'proven' }]);
  expect(outcome(await step(id, 'approve', opener))).toEqual([403, 'four_eyes_required']);
  expect(outcome(await step(id, 'deny', opener))).toEqual([403, 'four_eyes_required']);
  expect(outcome(await step(id, 'approve', byOldPhone))).toEqual([403, 'four_eyes_required']);
  expect(outcome(await enroll(await newPhone(), {}, { token: byMail }))).toEqual(refused);
  expect(outcome(await step(id, 'approve', approver))).toEqual([200, 'approved']);
  expect(outcome(await step(id, 'approve', approver))).toEqual([409, 'invalid_state']);

  const phone = await newPhone();
  const both = await Promise.all([
    enroll(phone, {}, { token: byMail }),
    enroll(await newPhone(), {}, { token: byMail }),
  ]);
  expect(both.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 403]);
  const made = both.find(({ status }) => status === 201)?.body;
  expect(made?.['poly_user_id']).toBe(subject.polyUserId);
  expect((await portalLogin(await goodBundle(subject.phone))).status).toBe(401);
  expect((await call('GET', '/v2/devices', { token: byOldPhone })).status).toBe(401);
  const devices = await call('GET', '/v2/devices', { token: byMail });
  expect(devices.body['items']).toMatchObject([
    { device_id: made?.['device_id'], status: 'active' },
    { device_id: subject.phone.enrolled?.deviceId, status: 'revoked' },
  ]);
  const { rows } = await db.query(
    `SELECT device_id FROM certificates WHERE poly_user_id = $1 AND revoked_at IS NULL`,
    [subject.polyUserId],
  );
  expect(rows).toEqual([{ device_id: made?.['device_id'] }]);
  expect(outcome(await enroll(await newPhone(), {}, { token: byMail }))).toEqual(refused);
}, 180_000);

it('every step is audited, sent as events to each account, and emailed', async () => {
  const told = (await audited(account)).filter(({ action }) => action.startsWith('recovery.'));
  expect(told.map(({ action }) => action)).toEqual([
    'recovery.completed',
    'recovery.approved',
    'recovery.opened',
  ]);
  expect(new Set(told.map(({ actor }) => actor)).size).toBe(3);
  expect(told.every(({ object_id: id }) => id === subject.polyUserId)).toBe(true);
  for (const { account_id: accountId } of [account, other]) {
    const { rows } = await db.query(
      `SELECT data->'object'->>'recovery_status' AS status FROM events
       WHERE account_id = $1 AND type = 'identity.recovery_updated' ORDER BY account_seq`,
      [accountId],
    );
    expect(rows.map(({ status }) => status)).toEqual(['open', 'approved', 'completed']);
  }
  const texts = await eventually('all mails', async () => {
    const all = await textsTo(subject.address);
    return all.length === 4 && all.map((text) => text.split('\n')[0] ?? '');
  });
  expect(texts).toEqual(
    expect.arrayContaining([
      expect.stringContaining('has opened a recovery for you'),
      'Your recovery is approved',
      'Your new device is enrolled',
    ]),
  );
});
