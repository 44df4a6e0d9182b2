import { expect } from 'vitest';
import { dailyMax } from '../../../../activities/identity/members/activities.ts';
import { transaction } from '../../../../db/client.ts';
import * as requests from '../../../../db/queries/email-requests.ts';
import { withdrawMail } from '../../../../db/queries/link-invitations.ts';
import { admitLinkMail } from '../../../../db/queries/links.ts';
import { addMailReports } from '../../../../db/queries/mail-reports.ts';
import { admitMemberMail } from '../../../../db/queries/member-mails.ts';
import { platformOwner } from '../../../../db/sealing/sealed.ts';
import { inTurn } from '../../../support/races/ground.ts';
import { atOnce, expectFates, fate, type Race } from '../../../support/races/race.ts';
import { stage, staged, stagedLink, type Stage } from '../../../support/races/stage.ts';

const report: Race = {
  name: 'mail-report',
  rule: 'a report of the mail provider is kept once, in whichever batch it comes',
  statements: ['mail_reports.insert'],
  async prepare() {
    const on = await stage();
    return async (callers) => {
      const link = await stagedLink(on);
      await on.db.query('UPDATE links SET emailed = true WHERE link_uuid = $1', [link.link_uuid]);
      const ids = Array.from({ length: 3 }, () => on.ids.make('ev'));
      const reports = ids.map((event_id) => ({
        event_id,
        link_uuid: link.link_uuid,
        status: 'delivered' as const,
      }));
      await atOnce(callers, (place) =>
        addMailReports(on.db, place % 2 ? reports : reports.toReversed(), new Date()),
      );
      const kept = 'SELECT 1 FROM mail_reports WHERE link_uuid = $1';
      expect(await staged(on, kept, [link.link_uuid])).toHaveLength(ids.length);
      return Array.from({ length: callers }, () => 'kept');
    };
  },
};

const withdrawn: Race = {
  name: 'mail-withdrawn',
  rule: 'the mail of a link is admitted or withdrawn, never both',
  statements: ['links.withdraw_mail', 'links.admit_mail'],
  async prepare() {
    const on = await stage();
    return async (callers) => {
      const { link_uuid } = await stagedLink(on);
      await on.db.query(
        `UPDATE links SET emailed = true, recipient_blind = $2, delivery = '{"status":"queued"}'
         WHERE link_uuid = $1`,
        [link_uuid, on.ids.bytes(32)],
      );
      const limits = { byAccount: 5, byAll: 20 };
      const outcomes = await atOnce(callers, async (place) =>
        place % 2 === 0
          ? ((await admitLinkMail(on.db, link_uuid, new Date(), limits)) && 'admitted') || 'refused'
          : ((await transaction(on.db, (tx) => withdrawMail(tx, link_uuid, new Date()))) &&
              'withdrawn') ||
            'too late',
      );
      expectFates(outcomes, {}, ['admitted', 'refused', 'withdrawn', 'too late']);
      expect(outcomes.includes('admitted')).toBe(!outcomes.includes('withdrawn'));
      return outcomes;
    };
  },
};

async function newRequest(on: Stage, blind: Buffer, place: number): Promise<string> {
  const id = on.ids.make('er');
  const now = Date.now();
  await requests.addEmailRequest(on.db, {
    state: 'requested',
    request_id: id,
    secret_version: 1,
    purpose: 'login',
    poly_user_id: null,
    address_blind: blind,
    address_sealed: await on.sealer.seal(platformOwner, id, 'a@example.test'),
    token_hash: on.ids.bytes(32),
    browser_hash: on.ids.bytes(32),
    network_blind: null,
    app_id: null,
    return_to: null,
    locale: null,
    created_at: new Date(now + place),
    expires_at: new Date(now + 600_000),
  });
  return id;
}

const promoted: Race = {
  name: 'mail-promoted',
  rule: 'of the mails an address was asked for the newest alone counts, in whatever order they go out',
  statements: ['email_requests.promote'],
  async prepare() {
    const on = await stage();
    return async (callers) => {
      const blind = on.ids.bytes(32);
      const ids: string[] = [];
      for (let place = 0; place < callers; place += 1) ids.push(await newRequest(on, blind, place));
      const outcomes = await Promise.all(
        ids
          .toSorted()
          .map(async (id) => ((await requests.promoteEmailRequest(on.db, id)) ? 'sent' : 'ended')),
      );
      const states = 'SELECT request_id, state FROM email_requests WHERE address_blind = $1';
      const found = await staged(on, `${states} AND state = 'sent'`, [blind]);
      expect(found).toEqual([{ request_id: ids.at(-1), state: 'sent' }]);
      return outcomes;
    };
  },
};

const endedRows = 1_000;
/** Ids and times have opposite orders. */
const manyRequests = `INSERT INTO email_requests (request_id, purpose, address_blind,
    address_sealed, token_hash, browser_hash, state, created_at, expires_at)
  SELECT $1 || '-' || lpad(n::text, 4, '0'), 'login', $2, $2, $2 || n::text::bytea, $2, 'requested',
    now() - n * interval '1 ms', now() + interval '10 minutes'
  FROM generate_series(1, ${endedRows}) n RETURNING request_id`;

const ended: Race = {
  name: 'mail-ended',
  rule: 'requests whose time is up all end while others go out, and none waits in a ring',
  statements: ['email_requests.expire'],
  roundsMax: 20,
  async prepare() {
    const on = await stage();
    return async (callers) => {
      const blind = on.ids.bytes(32);
      const rows = await staged(on, manyRequests, [on.ids.make('er'), blind]);
      const ids = rows.map(({ request_id: id }) => String(id));
      const later = new Date(Date.now() + 3600_000);
      const outcomes = await atOnce(callers, async (place) => {
        const newest = ids[place] ?? '';
        if (place % 2)
          return (await requests.promoteEmailRequest(on.db, newest)) ? 'sent' : 'ended';
        await requests.expireEmailRequests(on.db, ids, later);
        return 'closed';
      });
      const open = `SELECT 1 FROM email_requests
        WHERE address_blind = $1 AND state NOT IN ('expired', 'superseded')`;
      expect(await staged(on, open, [blind])).toEqual([]);
      return outcomes;
    };
  },
};

/** Invitations to one address that are being sent. */
const invitations = `INSERT INTO member_mails (mail_id, account_id, poly_user_id, email_blind,
    address_sealed, awaits_start, created_at)
  SELECT $1 || '-' || n, $2::int, $3, $4, 'x', false, now() FROM generate_series(1, $5::int) n
  RETURNING mail_id`;

const admitted: Race = {
  name: 'member-mail-admitted',
  rule: 'an address has five invitations to accounts in a day, however many go out at once',
  statements: ['member_mails.admit'],
  async prepare() {
    const on = await stage();
    return async (callers) => {
      const { account_id: accountId, member } = on.own;
      const blind = on.ids.bytes(32);
      const values = [on.ids.make('mm'), accountId, member.poly_user_id, blind, callers];
      const ids = (await staged(on, invitations, values)).map(({ mail_id: id }) => String(id));
      return admitAtOnce(on, callers, dailyMax, (place) =>
        admitMemberMail(on.db, ids[place] ?? '', new Date(), dailyMax),
      );
    };
  },
};

const requestedMails = `INSERT INTO email_requests (request_id, purpose, address_blind,
    address_sealed, token_hash, browser_hash, network_blind, state, created_at, expires_at)
  SELECT $1 || '-' || n, 'login', $2, $2, $2 || n::text::bytea, $2, n::text::bytea, 'requested',
    now(), now() + interval '10 minutes'
  FROM generate_series(1, $3::int) n RETURNING request_id`;

const requestAdmitted: Race = {
  name: 'mail-admitted',
  rule: 'an address has so many mails to sign in by in a day, however many go out at once',
  statements: ['email_requests.admit'],
  async prepare() {
    const on = await stage();
    return async (callers) => {
      const values = [on.ids.make('er'), on.ids.bytes(32), callers];
      const ids = (await staged(on, requestedMails, values)).map(({ request_id: id }) =>
        String(id),
      );
      const toAddress = 3;
      const daily = { toAddress, toAddressByAsker: callers, byPerson: null };
      return admitAtOnce(on, callers, toAddress, (place) =>
        requests.admitEmailRequest(on.db, ids[place] ?? '', new Date(), daily),
      );
    };
  },
};

const addressed = 'UPDATE links SET recipient_blind = $2 WHERE link_uuid = $1 RETURNING 1';

const linkMailAdmitted: Race = {
  name: 'link-mail-admitted',
  rule: 'an address has so many links of an account, and of all, in a day, however many go out',
  statements: ['links.admit_mail'],
  roundsMax: 20,
  async prepare() {
    const on = await stage();
    return async (callers) => {
      const blind = on.ids.bytes(32);
      const links = await inTurn(callers, () => stagedLink(on));
      for (const { link_uuid: id } of links) await staged(on, addressed, [id, blind]);
      const [won, most] = [3, callers + 1];
      const limits = blind.readUInt8() % 2 ? [won, most] : [most, won];
      const [byAccount = 0, byAll = 0] = limits;
      return admitAtOnce(on, callers, won, (place) =>
        admitLinkMail(on.db, links[place]?.link_uuid ?? '', new Date(), { byAccount, byAll }),
      );
    };
  },
};

/** Asserts that `winners` calls win, a repeat of each gets the same result, and later ones lose. */
async function admitAtOnce(
  on: Stage,
  callers: number,
  winners: number,
  attempt: (place: number) => Promise<boolean>,
): Promise<string[]> {
  const admit = (place: number) => fate(attempt(place));
  // Opens all connections first, so that the callers start together.
  await atOnce(callers, () => on.db.query('SELECT 1'));
  const outcomes = await atOnce(callers, admit);
  const won = Math.min(callers, winners);
  expectFates(outcomes, { won, lost: callers - won });
  expect(await atOnce(callers, admit)).toEqual(outcomes);
  return outcomes;
}

export const mailRaces: readonly Race[] = [
  report,
  withdrawn,
  promoted,
  ended,
  admitted,
  requestAdmitted,
  linkMailAdmitted,
];
