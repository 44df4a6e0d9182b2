import { expect } from 'vitest';
import { issueCrl } from '../../../../activities/keys/certificates/issue-crl.ts';
import { transaction } from '../../../../db/client.ts';
import { appendAudit, verifyAudit } from '../../../../db/queries/audit.ts';
import {
  insertCertificate,
  keepSigned,
  revokeBySerial,
} from '../../../../db/queries/certificates.ts';
import { removeEndedSessions } from '../../../../db/queries/credentials.ts';
import { appendEvents, linkStream } from '../../../../db/queries/events.ts';
import { advanceRollup, lockRollup } from '../../../../db/queries/prescreen.ts';
import { addTicket } from '../../../../db/queries/tickets.ts';
import { createSealer } from '../../../../db/sealing/sealed.ts';
import { masterWrapper } from '../../../../db/sealing/wrapper.ts';
import { platformKeys } from '../../../support/keys/bundles.ts';
import { atOnce, expectFates, type Race } from '../../../support/races/race.ts';
import { stage, staged } from '../../../support/races/stage.ts';
import { winners } from './once.ts';

const dataKey: Race = {
  name: 'data-key',
  rule: 'an owner has one data key: what one process seals every other opens',
  statements: ['data_keys.add'],
  async prepare() {
    const on = await stage();
    const keys = platformKeys();
    // Each acts as a separate process with its own cache of owner keys.
    const newSealer = () =>
      createSealer(on.db, masterWrapper(keys.secret('data-keys')), keys.secret('blind-index'));
    return async (callers) => {
      const owner = on.ids.make('owner');
      const sealed = await atOnce(callers, (place) =>
        newSealer().seal(owner, 'a context', `by ${place}`),
      );
      const reader = newSealer();
      for (const [place, one] of sealed.entries()) {
        expect((await reader.open(owner, 'a context', one)).toString()).toBe(`by ${place}`);
      }
      expect(await staged(on, 'SELECT 1 FROM data_keys WHERE owner = $1', [owner])).toHaveLength(1);
      return sealed.map(() => 'opened');
    };
  },
};

const feed: Race = {
  name: 'event-stream',
  rule: 'a stream has no gap and nothing twice, nor has the feed of its account',
  statements: ['events.append'],
  async prepare() {
    const on = await stage();
    const { account_id, app_id } = on.own;
    return async (callers) => {
      const ids = [on.ids.uuid(), on.ids.uuid()];
      const event = (id: string) => ({
        stream: linkStream(id),
        type: 'link.updated' as const,
        account_id,
        app_id,
        livemode: true,
        object_id: id,
        object: {},
      });
      await atOnce(callers, (place) => {
        const [one = '', other = ''] = place % 2 === 0 ? ids : ids.toReversed();
        const given = [event(one), event(other), event(one)];
        return transaction(on.db, (tx) =>
          appendEvents(tx, { ids: on.ids, now: new Date() }, given),
        );
      });
      const [row] = await staged(
        on,
        `SELECT count(*)::int, count(DISTINCT account_seq)::int AS places,
           (max(account_seq) - min(account_seq) + 1)::int AS span,
           (SELECT array_agg(g ORDER BY g) FROM (
              SELECT (max(seq) = count(*) AND min(seq) = 1 AND count(DISTINCT seq) = count(*)) AS g
              FROM events WHERE object_id = ANY ($1) GROUP BY stream) s) AS whole
         FROM events WHERE object_id = ANY ($1)`,
        [ids],
      );
      const count = callers * 3;
      expect(row).toEqual({ count, places: count, span: count, whole: [true, true] });
      return Array.from({ length: callers }, () => 'appended');
    };
  },
};

const chain: Race = {
  name: 'audit-chain',
  rule: 'each row of an audit log follows the one before it',
  statements: ['audit.lock_head'],
  async prepare() {
    const on = await stage();
    return async (callers) => {
      const { rows } = await on.db.query<{ account_id: number }>(
        `INSERT INTO accounts (name, created_at) VALUES ('audited', now()) RETURNING account_id`,
      );
      const accountId = rows[0]?.account_id ?? 0;
      const entry = { accountId, action: 'app.updated', actor: 'operator', details: {} } as const;
      await atOnce(callers, (place) =>
        transaction(on.db, (tx) =>
          appendAudit(tx, { ...entry, objectId: `app-${place}` }, new Date()),
        ),
      );
      const verdict = await verifyAudit(on.db, accountId);
      expect([verdict.rows, verdict.broken]).toEqual([callers, null]);
      return Array.from({ length: callers }, () => 'appended');
    };
  },
};

const crl: Race = {
  name: 'revocation-list',
  rule: 'one process signs the next list, all give out the same, and it misses no revocation',
  statements: ['crls.lock', 'certificates.revoke_serial'],
  async prepare() {
    const on = await stage();
    const issuer = platformKeys().peopleCa;
    return async (callers) => {
      const serial = on.ids.bytes(10).toString('hex');
      const day = 86_400_000;
      await insertCertificate(on.db, {
        serial,
        kind: 'services',
        issuer_kid: issuer.kid,
        kid: serial,
        poly_user_id: null,
        device_id: null,
        public_jwk: { kty: 'EC', crv: 'P-256', x: 'x', y: 'y' },
        not_before: new Date(),
        not_after: new Date(Date.now() + day),
      });
      const at = new Date();
      const revoked = await atOnce(callers, async () =>
        (await revokeBySerial(on.db, serial, { at, reason: 'unspecified' })) ? 'won' : 'lost',
      );
      expectFates(revoked, { won: 1, lost: callers - 1 });
      const [before] = await staged(on, 'SELECT number FROM crls WHERE issuer_kid = $1', [
        issuer.kid,
      ]);
      const lists = await atOnce(callers, () => issueCrl({ db: on.db, issuer }, new Date()));
      expect(new Set(lists.map(({ number }) => number))).toEqual(
        new Set([Number(before?.['number']) + 1]),
      );
      expect(new Set(lists.map(({ der }) => der.toString('hex'))).size).toBe(1);
      expect(lists[0]?.der.includes(Buffer.from(serial, 'hex'))).toBe(true);
      return revoked;
    };
  },
};

const signed = winners(
  {
    name: 'certificate-signed',
    rule: 'a serial is signed once',
    statements: ['certificates.sign'],
  },
  async (on) => {
    const serial = on.ids.bytes(10).toString('hex');
    await insertCertificate(on.db, {
      serial,
      kind: 'services',
      issuer_kid: 'nobody',
      kid: serial,
      poly_user_id: null,
      device_id: null,
      public_jwk: { kty: 'EC', crv: 'P-256', x: 'x', y: 'y' },
      not_before: new Date(),
      not_after: new Date(Date.now() + 60_000),
    });
    return { act: (place) => keepSigned(on.db, serial, Buffer.from([place])) };
  },
);

const ticket: Race = {
  name: 'ticket',
  rule: 'a ticket asked for again is the one that was made',
  statements: ['tickets.insert'],
  async prepare() {
    const on = await stage();
    return async (callers) => {
      const { account_id, app_id } = on.own;
      const ticket_id = on.ids.make('tk');
      const given = { ticket_id, account_id, app_id, link_uuid: null, severity: 'normal' as const };
      const made = await atOnce(callers, (place) =>
        addTicket(on.db, {
          ...given,
          report_sealed: Buffer.from([place]),
          created_by: null,
          created_at: new Date(),
        }),
      );
      expect(new Set(made.map((row) => row.report_sealed?.toString('hex'))).size).toBe(1);
      return made.map(() => 'the same');
    };
  },
};

const rollup: Race = {
  name: 'rollup',
  rule: 'an account is rolled up by one at a time: each goes on where the last one ended',
  statements: ['prescreen.begin', 'prescreen.lock'],
  async prepare() {
    const on = await stage();
    return async (callers) => {
      const { rows } = await on.db.query<{ account_id: number }>(
        `INSERT INTO accounts (name, created_at) VALUES ('rolled up', now()) RETURNING account_id`,
      );
      const id = rows[0]?.account_id ?? 0;
      const begun = await atOnce(callers, () =>
        transaction(on.db, async (tx) => {
          const from = await lockRollup(tx, id);
          await advanceRollup(tx, id, from + 1, null);
          return from;
        }),
      );
      expect(begun.toSorted((a, b) => a - b)).toEqual(
        Array.from({ length: callers }, (_, place) => place),
      );
      return begun.map(() => 'in turn');
    };
  },
};

const swept: Race = {
  name: 'sessions-swept',
  rule: 'of many who sweep each row is removed by one, and none waits for another',
  statements: ['sessions.remove_ended'],
  async prepare() {
    const on = await stage();
    return async (callers) => {
      const long = new Date(Date.UTC(2001, 0, 1));
      await on.db.query(
        `INSERT INTO sessions (sid, poly_user_id, auth_method, created_at, expires_at)
         SELECT 'sid_' || gen_random_uuid(), $1, 'cert', $2, $2 FROM generate_series(1, $3)`,
        [on.own.admin.poly_user_id, long, callers * 3],
      );
      const sweep = () => removeEndedSessions(on.db, new Date(+long + 1), 4);
      const removed = await atOnce(callers, sweep);
      const later = await sweepRest(sweep);
      expect(removed.reduce((sum, count) => sum + count, later)).toBe(callers * 3);
      return removed.map((count) => `${count} removed`);
    };
  },
};

async function sweepRest(sweep: () => Promise<number>): Promise<number> {
  const count = await sweep();
  return count === 0 ? 0 : count + (await sweepRest(sweep));
}

export const recordRaces: readonly Race[] = [
  dataKey,
  feed,
  chain,
  crl,
  signed,
  ticket,
  rollup,
  swept,
];
