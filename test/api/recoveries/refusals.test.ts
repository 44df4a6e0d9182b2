import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Seed } from '../../../cli/data-directory/seed.ts';
import { randomIds } from '../../../db/ids.ts';
import { endedRecoveries } from '../../../workers/outboxes/sweeps/ended-recoveries.ts';
import { enroll, newPhone } from '../../support/checks/phone.ts';
import { call, type Answer } from '../../support/http/client.ts';
import { newAccount } from '../../support/people/accounts.ts';
import { audited } from '../../support/people/audited.ts';
import { agedBy, newCertUser } from '../../support/people/cert-users.ts';
import { emailSession, newEmailUser } from '../../support/people/email-users.ts';
import {
  newSubject,
  openRecovery,
  proveRecovery,
  type Subject,
} from '../../support/people/recoveries.ts';
import { newKey } from '../../support/people/samples.ts';
import { eventually, openTestDb } from '../../support/platform/harness.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';

const { databaseUrl, foreign } = ownPlatform();
const db = openTestDb(databaseUrl);
let account: Seed;
let subject: Subject;
let opener: string;
let approvers: string[];
let id: string;
beforeAll(async () => {
  account = await newAccount(`refused-${process.pid}-${Date.now()}`);
  subject = await newSubject(db, account);
  const admin = () => newCertUser(db, account.account_id, ['ADMIN']);
  opener = (await admin()).token;
  approvers = [(await admin()).token, (await admin()).token];
  id = String((await openRecovery(account, subject, opener)).body['recovery_id']);
  await proveRecovery(subject);
}, 180_000);
/** Resets the same recovery to open and proven before each test. */
beforeEach(() =>
  db.query(
    `UPDATE recoveries SET status = 'open', decided_by = NULL, decided_at = NULL,
       expires_at = now() + interval '7 days' WHERE recovery_id = $1`,
    [id],
  ),
);
afterAll(() => db.end());

const outcome = ({ status, body }: Answer): unknown[] => [status, body['code'] ?? body['status']];
const step = (verb: string, token = approvers[0]): Promise<Answer> =>
  call('POST', `${subject.at}/${id}/${verb}`, token ? { token } : {});
const statusNow = async (): Promise<unknown> => {
  const { body } = await call('GET', subject.at, { token: account.api_key });
  return (body['items'] as { status: string }[])[0]?.status;
};

describe('concurrent decisions on a recovery', () => {
  it('one of four approvals takes effect', async () => {
    const all = await Promise.all(
      approvers.flatMap((token) => [1, 2].map(() => step('approve', token))),
    );
    expect(all.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409, 409, 409]);
    expect(await statusNow()).toBe('approved');
  });

  it('a cancellation is final, before or after an approval', async () => {
    const [approved, canceled] = await Promise.all([step('approve'), step('cancel', opener)]);
    expect(outcome(canceled)).toEqual([200, 'canceled']);
    expect([200, 409]).toContain(approved.status);
    expect(await statusNow()).toBe('canceled');
    expect(outcome(await step('approve'))).toEqual([409, 'invalid_state']);
    expect(outcome(await step('deny'))).toEqual([409, 'invalid_state']);
    const token = await emailSession(db, subject.polyUserId);
    expect(outcome(await enroll(await newPhone(), {}, { token }))).toEqual([
      403,
      'step_up_required',
    ]);
  });

  it('either an approval or a denial takes effect', async () => {
    const both = await Promise.all([step('approve'), step('deny', approvers[1])]);
    expect(both.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409]);
  });
});

describe('an approval is refused', () => {
  it.each(['revoked', 'other document', 'no face'])('for a check that is %s', async (fault) => {
    const changes: Record<string, readonly [string, string]> = {
      revoked: [`outcome_validity = 'revoked'`, 'failed'],
      'other document': [`document_blind = '\\x00'`, 'other_person'],
      'no face': [`proofs = '[{"type": "nfc_passport", "status": "passed"}]'`, 'failed'],
    };
    const [change = '', reason] = changes[fault] ?? [];
    const { rows } = await db.query(
      'SELECT * FROM trust_checks t JOIN recoveries r USING (link_uuid) WHERE recovery_id = $1',
      [id],
    );
    const [before] = rows;
    const checkId = before?.link_session_id;
    await db.query(`UPDATE trust_checks SET ${change} WHERE link_session_id = $1`, [checkId]);
    const refused = await step('approve');
    await db.query(
      `UPDATE trust_checks SET outcome_validity = 'valid', document_blind = $2, proofs = $3::jsonb
       WHERE link_session_id = $1`,
      [checkId, before?.document_blind, JSON.stringify(before?.proofs)],
    );
    expect([...outcome(refused), refused.body['reason']]).toEqual([
      409,
      'recovery_not_proven',
      reason,
    ]);
  });

  it('after seven days, when the worker expires it', async () => {
    await db.query('UPDATE recoveries SET expires_at = now() WHERE recovery_id = $1', [id]);
    expect(await statusNow()).toBe('expired');
    expect(outcome(await step('approve'))).toEqual([409, 'invalid_state']);
    const { drain } = endedRecoveries({ db, ids: randomIds, clock: () => new Date() });
    await drain(new AbortController().signal);
    await eventually('the expiry', async () => {
      const [row] = (await audited(account)).filter(({ action }) => action === 'recovery.expired');
      return row?.actor === 'platform';
    });
    const { rows } = await db.query('SELECT status FROM recoveries WHERE recovery_id = $1', [id]);
    expect(rows[0]?.status).toBe('expired');
  });

  it('for a key, an old proof, a lower role, or another account', async () => {
    const test = await newKey(['ADMIN'], { accountId: account.account_id, livemode: false });
    const reviewer = (await newCertUser(db, account.account_id, ['REVIEWER'])).token;
    const callers = [test, account.api_key, agedBy(approvers[0] ?? '', 901), reviewer];
    const answers = await Promise.all(
      [...callers, foreign.admin.session_token].map((t) => step('approve', t)),
    );
    expect(answers.map(outcome)).toEqual([
      [403, 'live_key_required'],
      [400, 'session_required'],
      [403, 'step_up_required'],
      [403, 'role_required'],
      [404, 'not_found'],
    ]);
    const opens = await Promise.all(
      [...callers, foreign.admin.session_token].map((t) => openRecovery(account, subject, t)),
    );
    expect(opens.map(outcome)).toEqual(answers.map(outcome));
  });
});

describe('a recovery cannot be opened', () => {
  const reasonOf = (answer: Answer): unknown[] => [...outcome(answer), answer.body['reason']];

  it('for a person without a device, an address, or an earlier check', async () => {
    const { account_id: accountId } = account;
    const mail = await newEmailUser(db, { [accountId]: ['MEMBER'] });
    const unknown = await newSubject(db, account, { isKnown: false });
    const at = (who: string) => `/v2/accounts/${accountId}/members/${who}/recoveries`;
    const open = (who: string) =>
      call('POST', at(who), { token: opener, body: { app_id: account.app_id } });
    expect(reasonOf(await open(mail.polyUserId))).toEqual([
      409,
      'recovery_unavailable',
      'no_device',
    ]);
    expect(reasonOf(await open(unknown.polyUserId))).toEqual([
      409,
      'recovery_unavailable',
      'no_earlier_check',
    ]);
    await db.query(`UPDATE recoveries SET status = 'canceled' WHERE recovery_id = $1`, [id]);
    const mute = `UPDATE login_emails SET status = $2 WHERE poly_user_id = $1`;
    await db.query(mute, [subject.polyUserId, 'REVOKED']);
    const muted = await open(subject.polyUserId);
    await db.query(mute, [subject.polyUserId, 'ACTIVE']);
    expect(reasonOf(muted)).toEqual([409, 'recovery_unavailable', 'no_address']);
    expect(outcome(await open('pu_0'))).toEqual([404, 'not_found']);
  });

  it('if no second ADMIN could approve it', async () => {
    const small = await newAccount(`small-${process.pid}-${Date.now()}`);
    const lone = await newSubject(db, small);
    const refused = await openRecovery(small, lone, small.admin.session_token);
    expect(outcome(refused)).toEqual([409, 'second_admin_required']);
  });

  it('in an app of another account', async () => {
    const refused = await call('POST', subject.at, {
      token: opener,
      body: { app_id: foreign.app_id },
    });
    expect(refused.status).toBe(422);
  });

  it('beyond the daily email limit of the account', async () => {
    const busy = await newAccount(`busy-${process.pid}-${Date.now()}`);
    const person = await newSubject(db, busy);
    await newCertUser(db, busy.account_id, ['ADMIN']);
    await db.query(
      `INSERT INTO member_mails (mail_id, account_id, poly_user_id, email_blind, awaits_start,
         created_at)
       SELECT 'mm_busy_' || $2 || n, $1, $2, '\\x00', false, now() FROM generate_series(1, 500) n`,
      [busy.account_id, person.polyUserId],
    );
    const refused = await openRecovery(busy, person, busy.admin.session_token);
    expect(outcome(refused)).toEqual([429, 'rate_limited']);
  });
});

it('a denial is final, and another recovery can be opened once per key', async () => {
  expect(outcome(await step('deny'))).toEqual([200, 'denied']);
  expect(outcome(await step('cancel', opener))).toEqual([409, 'invalid_state']);
  const headers = { 'idempotency-key': randomUUID() };
  const open = (locale: string) =>
    call('POST', subject.at, { token: opener, headers, body: { app_id: account.app_id, locale } });
  const opened = await open('de');
  expect(outcome(opened)).toEqual([201, 'open']);
  expect((await open('de')).body['recovery_id']).toBe(opened.body['recovery_id']);
  expect(outcome(await open('fr'))).toEqual([409, 'idempotency_mismatch']);
  const at = `${subject.at}/${String(opened.body['recovery_id'])}`;
  const canceled = await call('POST', `${at}/cancel`, { token: opener });
  expect(outcome(canceled)).toEqual([200, 'canceled']);
});
