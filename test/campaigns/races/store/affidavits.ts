import { expect } from 'vitest';
import { transaction } from '../../../../db/client.ts';
import * as affidavits from '../../../../db/queries/affidavits.ts';
import { insertCertificate, revokeBySerial } from '../../../../db/queries/certificates.ts';
import { lockRevoked, recheckAffidavits, renewAffidavit } from '../../../../db/queries/renewals.ts';
import { atOnce, expectFates, type Race } from '../../../support/races/race.ts';
import { newSession, stage, staged, type Stage } from '../../../support/races/stage.ts';
import { winners } from './once.ts';

const planned: Race = {
  name: 'affidavit-planned',
  rule: 'a session has one affidavit, whoever plans it under whichever id',
  statements: ['affidavits.add'],
  async prepare() {
    const on = await stage();
    return async (callers) => {
      const session = await newSession(on, { status: 'passed', decided_at: new Date() });
      const made = await atOnce(callers, () =>
        transaction(on.db, (tx) =>
          affidavits.addAffidavit(tx, session, on.ids.make('af'), new Date()),
        ),
      );
      expect(new Set(made).size).toBe(1);
      const rows = 'SELECT affidavit_id FROM affidavits WHERE link_session_id = $1';
      expect(await staged(on, rows, [session.link_session_id])).toEqual([
        { affidavit_id: made[0] },
      ]);
      return made.map(() => 'the same');
    };
  },
};

/** Creates a session with a planned affidavit. */
async function withAffidavit(on: Stage) {
  const session = await newSession(on, { status: 'passed', decided_at: new Date() });
  const id = await transaction(on.db, (tx) =>
    affidavits.addAffidavit(tx, session, on.ids.make('af'), new Date()),
  );
  return { session: session.link_session_id, id };
}

const fileOf = (id: string, sealKid: string, now: Date) => ({
  affidavit_id: id,
  version: 1,
  base_sha256: 'b',
  json_sha256: 'c',
  size_bytes: 1,
  pades_level: 'PAdES-B-T',
  seal_kid: sealKid,
  sealed_at: now,
  available_at: now,
  development: true,
});

const published = winners(
  {
    name: 'affidavit-published',
    rule: 'one file is an affidavit’s, and its session is told once',
    statements: ['affidavits.publish', 'affidavits.give_up', 'affidavits.tell_session'],
  },
  async (on) => {
    const { session, id } = await withAffidavit(on);
    const file = fileOf(id, 'kid', new Date());
    return {
      act: (place) =>
        transaction(on.db, (tx) => {
          const own = { affidavit_key: `key-${place}`, sha256: `sha-${place}` };
          return affidavits.publishAffidavit(tx, { ...file, ...own });
        }),
      left: [
        `SELECT affidavit_status, affidavit_sha256 = a.sha256 AS is_same
         FROM trust_checks JOIN affidavits a USING (link_session_id) WHERE link_session_id = $1`,
        [session],
        [{ affidavit_status: 'available', is_same: true }],
      ],
    };
  },
);

const givenUp = winners(
  {
    name: 'affidavit-given-up',
    rule: 'that an affidavit cannot be made is told once',
    statements: ['affidavits.give_up', 'affidavits.tell_failure'],
  },
  async (on) => {
    const { session, id } = await withAffidavit(on);
    return {
      act: () =>
        transaction(on.db, (tx) => affidavits.failAffidavit(tx, id, 'unmakeable', new Date())),
      left: [
        'SELECT affidavit_status FROM trust_checks WHERE link_session_id = $1',
        [session],
        [{ affidavit_status: 'failed' }],
      ],
    };
  },
);

const frozen: Race = {
  name: 'affidavit-frozen',
  rule: 'what an affidavit says is kept once: the first stands',
  statements: ['affidavits.freeze', 'affidavits.lock', 'affidavits.plan_again'],
  async prepare() {
    const on = await stage();
    return async (callers) => {
      const { session, id } = await withAffidavit(on);
      const contents = Array.from({ length: callers }, (_, place) => Buffer.from(`by ${place}`));
      const row = { affidavit_id: id, link_session_id: session };
      const content = async (): Promise<string> => {
        const kept = 'SELECT content_sealed AS kept FROM affidavits WHERE affidavit_id = $1';
        const [found] = await staged(on, kept, [id]);
        return String(found?.['kept']);
      };
      const seen = await Promise.all(
        contents.map(async (own) => {
          await transaction(on.db, (tx) => affidavits.freezeContent(tx, row, own));
          return content();
        }),
      );
      expect(new Set(seen).size).toBe(1);
      await transaction(on.db, (tx) => affidavits.failAffidavit(tx, id, 'x', new Date(0)));
      const again = await atOnce(callers, async () => {
        const ids = await affidavits.planFailedAgain(on.db, new Date(0));
        return ids.includes(id) ? 'won' : 'lost';
      });
      expectFates(again, { won: 1, lost: callers - 1 });
      return again;
    };
  },
};

const renewed = winners(
  {
    name: 'affidavit-renewed',
    rule: 'one file takes the place of the one before, and its session is told of that one',
    statements: ['renewals.renew', 'renewals.tell_session'],
  },
  async (on) => {
    const { session, id } = await withAffidavit(on);
    await on.db.query(
      `UPDATE affidavits SET status = 'available', sha256 = 'before' WHERE affidavit_id = $1`,
      [id],
    );
    const now = new Date();
    const of = { affidavit_id: id, link_session_id: session, sha256Before: 'before', version: 2 };
    const file = {
      ...of,
      recheckBefore: null,
      size_bytes: 1,
      pades_level: 'PAdES-B-LTA',
      renewed_at: now,
    };
    return {
      act: (place) =>
        transaction(on.db, (tx) => {
          const own = { affidavit_key: `key-${place}`, sha256: `sha-${place}`, renew_at: now };
          return renewAffidavit(tx, { ...file, ...own });
        }),
      left: [
        `SELECT affidavit_sha256 = a.sha256 AS is_same
         FROM trust_checks JOIN affidavits a USING (link_session_id) WHERE link_session_id = $1`,
        [session],
        [{ is_same: true }],
      ],
    };
  },
);

const stolen: Race = {
  name: 'affidavit-published-at-a-theft',
  rule: 'what a stolen key has sealed is judged anew, whichever comes first, word of it or the file',
  statements: ['renewals.lock_revoked', 'renewals.recheck'],
  async prepare() {
    const on = await stage();
    return async (callers) => {
      const [serial, kid] = [on.ids.bytes(16).toString('hex'), on.ids.uuid()];
      const now = new Date();
      await insertCertificate(on.db, {
        serial,
        kind: 'services',
        issuer_kid: on.ids.uuid(),
        kid,
        poly_user_id: null,
        device_id: null,
        public_jwk: { kty: 'EC', crv: 'P-256', x: '', y: '' },
        not_before: now,
        not_after: now,
      });
      const all = await Promise.all(Array.from({ length: callers }, () => withAffidavit(on)));
      const thief = Math.floor(callers / 2);
      const fates = await atOnce(callers, (place) =>
        transaction(on.db, async (tx) => {
          if (place === thief) {
            await revokeBySerial(tx, serial, { at: now, reason: 'compromised' });
            await recheckAffidavits(tx, now, kid);
            return 'theft';
          }
          const isRevoked = await lockRevoked(tx, [serial]);
          const file = fileOf(all[place]?.id ?? '', kid, now);
          const own = { affidavit_key: `key-${place}`, sha256: `sha-${place}` };
          const mark = isRevoked ? { renew_at: now, recheck_since: now } : {};
          await affidavits.publishAffidavit(tx, { ...file, ...own, ...mark });
          return 'published';
        }),
      );
      const left =
        'SELECT count(*)::int AS count FROM affidavits WHERE seal_kid = $1 AND recheck_since = $2';
      expect(await staged(on, left, [kid, now])).toEqual([{ count: callers - 1 }]);
      expectFates(fates, { theft: 1, published: callers - 1 });
      return fates;
    };
  },
};

/** Races about affidavits. */
export const affidavitRaces: readonly Race[] = [
  planned,
  published,
  givenUp,
  frozen,
  renewed,
  stolen,
];
