import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSendgridMailer } from '../../../activities/delivery/mail/sendgrid.ts';
import { createMemberActivities } from '../../../activities/identity/members/activities.ts';
import { addressContext, dailyMailsMax } from '../../../activities/identity/members/mails.ts';
import type { Seed } from '../../../cli/data-directory/seed.ts';
import { randomIds } from '../../../db/ids.ts';
import type { MemberMailRow } from '../../../db/queries/member-mails.ts';
import { accountOwner } from '../../../db/sealing/sealed.ts';
import { memberInvitationWorkflowId } from '../../../workflows/member-invitation/messages.ts';
import { call, type Answer } from '../../support/http/client.ts';
import { ownSealer } from '../../support/keys/own-sealer.ts';
import { newAccount } from '../../support/people/accounts.ts';
import { signInBy } from '../../support/people/email-users.ts';
import { newAddress } from '../../support/people/mailbox.ts';
import { eventually, openTestDb } from '../../support/platform/harness.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';
import { startSendgrid, type Sendgrid } from '../../support/stand-ins/mail/sendgrid.ts';

const { databaseUrl, baseUrl } = ownPlatform();
const db = openTestDb(databaseUrl);
const apiKey = 'SG.members';
let account: Seed;
let provider: Sendgrid;
beforeAll(async () => {
  account = await newAccount(`mailed-${process.pid}-${Date.now()}`);
  provider = await startSendgrid({ apiKey, verifiedSenders: ['check@trust.test'] });
});
afterAll(() => Promise.all([db.end(), provider.stop()]));

const outcome = ({ status, body }: Answer): unknown[] => [status, body['code']];
const invite = (email: string, more: object = {}, of: Seed = account): Promise<Answer> =>
  call('POST', `/v2/accounts/${of.account_id}/members`, {
    token: of.api_key,
    body: { email, roles: ['VIEWER'], ...more },
  });

async function mailsOf({ body }: Answer): Promise<MemberMailRow[]> {
  const { rows } = await db.query<MemberMailRow>(
    'SELECT * FROM member_mails WHERE poly_user_id = $1',
    [body['poly_user_id']],
  );
  return rows;
}

async function messagesTo(address: string) {
  const { body } = await call('GET', '/outbox/messages?limit=200');
  const items = body['items'] as { recipient: string; subject: string; text: string }[];
  return items.filter(({ recipient }) => recipient === address);
}

describe('the email to an invited address', () => {
  it('is sent once in its language with the target page, and the address is deleted', async () => {
    const address = newAddress();
    const page = `${baseUrl}/welcome`;
    const more = { locale: 'de-AT', return_to: page };
    const answer = await invite(address, more);
    expect(answer.status).toBe(201);
    const again = await Promise.all([1, 2, 3].map(() => invite(address, more)));
    expect(again.map(({ status }) => status)).toEqual([201, 201, 201]);
    const [mail] = await eventually('the mail', async () => {
      const rows = await mailsOf(answer);
      return rows[0]?.mailed_at && rows;
    });
    expect(await mailsOf(answer)).toHaveLength(1);
    expect(mail).toMatchObject({ address_sealed: null, awaits_start: false, locale: 'de-AT' });
    expect(JSON.stringify(mail)).not.toContain(address);
    const messages = await messagesTo(address);
    expect(messages).toHaveLength(1);
    expect(messages[0]?.subject).toMatch(/ lädt Sie ein$/);
    expect(messages[0]?.text.split('\n\n')).toContain(page);
    // A token in it would sign in anyone who reads the email.
    expect(messages[0]?.text).not.toContain('#t=');
  });

  it('is sent again if the first failed or its placeholder was removed', async () => {
    const address = newAddress();
    const first = await invite(address);
    const blind = (await mailsOf(first))[0]?.email_blind;
    const mails = async () =>
      (await db.query<MemberMailRow>('SELECT * FROM member_mails WHERE email_blind = $1', [blind]))
        .rows;
    const mailed = (count: number) =>
      eventually('the mails', async () => {
        const rows = await mails();
        return rows.filter(({ mailed_at: at }) => at).length === count && rows;
      });
    const isNow = (change: string) =>
      db.query(`UPDATE member_mails SET ${change} WHERE email_blind = $1`, [blind]);
    await mailed(1);
    await isNow('mailed_at = NULL');
    expect((await invite(address)).body).toEqual(first.body);
    await mailed(1);
    expect(await mails()).toHaveLength(2);
    await isNow(`mailed_at = NULL, address_sealed = 'x'`);
    await invite(address);
    expect(await mails()).toHaveLength(2);
    // Another placeholder holds the address, as after its person was removed.
    await db.query('DELETE FROM invited_addresses WHERE email_blind = $1', [blind]);
    const second = await invite(address);
    expect(second.body['poly_user_id']).not.toBe(first.body['poly_user_id']);
    await mailed(1);
    expect(await mailsOf(second)).toHaveLength(1);
    await invite(address);
    expect(await mails()).toHaveLength(3);
  });

  it('can link only to our pages and to apps of the account', async () => {
    for (const page of ['https://evil.example.com/', 'javascript:alert(1)', 'x']) {
      const { status, body } = await invite(newAddress(), { return_to: page });
      const fault = { loc: ['body', 'return_to'], type: 'forbidden_target' };
      expect([status, body['detail']], page).toMatchObject([422, [fault]]);
    }
    expect((await invite(newAddress(), { locale: 'not a tag' })).status).toBe(422);
  });

  it('is refused above the daily limit of an account, and invites no person', async () => {
    const full = await newAccount(`full-${process.pid}-${Date.now()}`);
    await db.query(
      `INSERT INTO member_mails (mail_id, account_id, poly_user_id, email_blind, awaits_start,
         created_at, mailed_at)
       SELECT 'mm_full_' || $1 || n, $1::int, $2, 'x', false, now(), now()
       FROM generate_series(2, $3::int) n`,
      [full.account_id, full.member.poly_user_id, dailyMailsMax],
    );
    expect((await invite(newAddress(), {}, full)).status).toBe(201);
    const address = newAddress();
    const refused = await invite(address, {}, full);
    expect(outcome(refused)).toEqual([429, 'rate_limited']);
    const at = `/v2/accounts/${full.account_id}/members`;
    const { body } = await call('GET', at, { token: full.api_key });
    expect((body['items'] as { pending?: true }[]).filter(({ pending }) => pending)).toHaveLength(
      1,
    );
  });
});

/** Creates an email that no relay sends, with activities that send it by the provider. */
async function newMail(address: string = newAddress()) {
  const answer = await invite(address);
  const [made] = await mailsOf(answer);
  const sealer = ownSealer(db);
  const mailId = randomIds.make('mm');
  if (!made) throw new Error('no mail');
  const owner = accountOwner(made.account_id);
  const sealed = await sealer.seal(owner, addressContext(mailId), address);
  await db.query(
    `INSERT INTO member_mails (mail_id, account_id, poly_user_id, email_blind, address_sealed,
       awaits_start, created_at) VALUES ($1, $2, $3, $4, $5, false, now())`,
    [mailId, made.account_id, made.poly_user_id, made.email_blind, sealed],
  );
  const activities = createMemberActivities({
    db,
    sealer,
    mailer: createSendgridMailer({ apiKey, from: 'check@trust.test', baseUrl: provider.url }),
    clock: () => new Date(),
    baseUrl,
  });
  const row = async () => {
    const { rows } = await db.query<MemberMailRow>(
      'SELECT * FROM member_mails WHERE mail_id = $1',
      [mailId],
    );
    return rows[0];
  };
  const send = () => activities.sendMemberInvitation({ mail_id: mailId });
  const close = () => activities.closeMemberInvitation({ mail_id: mailId });
  return { address, made, mailId, row, send, close };
}

const sentTo = (address: string) => provider.mails.filter(({ to }) => to.includes(address));

describe('sendMemberInvitation', () => {
  it('sends an email once, however often it is retried', async () => {
    const { address, mailId, row, send, close } = await newMail();
    provider.failNext({ status: 503 });
    await expect(send()).rejects.toMatchObject({ code: 'dependency_unavailable' });
    expect(await row()).toMatchObject({ mailed_at: null });
    expect((await row())?.address_sealed).not.toBeNull();
    expect(await send()).toEqual({ status: 'sent' });
    const sent = await row();
    // Closing after a lost answer does not undo the sending.
    await close();
    expect(sent?.mailed_at).toBeInstanceOf(Date);
    expect(await row()).toEqual(sent);
    expect(await send()).toEqual({ status: 'sent' });
    expect(sentTo(address)).toMatchObject([
      {
        to: [address],
        categories: ['member-invitation'],
        customArgs: { idempotency_key: memberInvitationWorkflowId(mailId) },
        isTracked: false,
      },
    ]);
    expect(sentTo(address)[0]?.text).toContain(baseUrl);
    expect((await row())?.address_sealed).toBeNull();
  });

  it('gives up if the provider refuses the email or it cannot be handed over', async () => {
    const refused = await newMail();
    provider.failNext({ status: 400, body: { errors: [{ message: 'no' }] } });
    expect(await refused.send()).toEqual({ status: 'failed' });
    const late = await newMail();
    await late.close();
    for (const { row, send, address } of [refused, late]) {
      expect(await row()).toMatchObject({ mailed_at: null, address_sealed: null });
      expect(await send()).toEqual({ status: 'dropped' });
      expect(sentTo(address)).toEqual([]);
    }
  });

  it('drops the email if the placeholder was removed or the address revoked', async () => {
    const removed = await newMail();
    const at = `/v2/accounts/${account.account_id}/members/${removed.made.poly_user_id}`;
    expect((await call('DELETE', at, { token: account.api_key })).status).toBe(200);
    const address = newAddress();
    const owner = await signInBy(db, address);
    await db.query(`UPDATE login_emails SET status = 'REVOKED' WHERE identity_id = $1`, [
      owner.identityId,
    ]);
    const revoked = await newMail(address);
    for (const mail of [removed, revoked]) {
      expect(await mail.send()).toEqual({ status: 'dropped' });
      expect((await mail.row())?.address_sealed).toBeNull();
      expect(sentTo(mail.address)).toEqual([]);
    }
  });

  it('sends at most five emails per address and day, counting those in progress', async () => {
    const mail = await newMail();
    const add = (of: string, count: number, change: string) =>
      db.query(
        `INSERT INTO member_mails (mail_id, account_id, poly_user_id, email_blind, awaits_start,
           created_at, address_sealed, admitted_at, mailed_at)
         SELECT $1 || $2 || n, account_id, poly_user_id, email_blind, false, now(), ${change}
         FROM member_mails, generate_series(1, $3::int) n WHERE mail_id = $1`,
        [mail.mailId, of, count],
      );
    const dropAll = () =>
      db.query('DELETE FROM member_mails WHERE email_blind = $1 AND mail_id <> $2', [
        mail.made.email_blind,
        mail.mailId,
      ]);
    await dropAll();
    const longAgo = `now() - interval '25 hours'`;
    await add('refused', 9, `NULL, now(), NULL`);
    await add('waits', 9, `'x', NULL, NULL`);
    await add('yesterday', 9, `NULL, ${longAgo}, ${longAgo}`);
    await add('mailed', 2, `NULL, NULL, now()`);
    await add('on its way', 2, `'x', now(), NULL`);
    const another = await newMail(mail.address);
    expect(await mail.send()).toEqual({ status: 'sent' });
    expect(await another.send()).toEqual({ status: 'dropped' });
    expect(sentTo(mail.address)).toHaveLength(1);
  });
});
