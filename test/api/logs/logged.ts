import { nameContext, nameDigests } from '../../../activities/identity/names.ts';
import type { Seed } from '../../../cli/data-directory/seed.ts';
import type { Db } from '../../../db/client.ts';
import { randomIds } from '../../../db/ids.ts';
import { referenceDigest, sealLinkText, wordDigests } from '../../../db/sealing/link-texts.ts';
import { accountOwner } from '../../../db/sealing/sealed.ts';
import { ownSealer } from '../../support/keys/own-sealer.ts';

/** Inserts rows of both log sources as meetings and checks leave them. */
export interface Logged {
  /** Inserts a meeting of the account. `people` maps ids to the time they joined, or null. */
  newMeeting(meeting: {
    readonly at: Date;
    readonly topic?: string;
    readonly organization?: string;
    readonly host?: string;
    readonly user?: string;
    readonly people?: Readonly<Record<string, Date | null>>;
    readonly livemode?: boolean;
  }): Promise<string>;
  newCheck(check: {
    readonly at: Date;
    readonly title?: string;
    readonly reference?: string;
    readonly person?: string;
    readonly app?: string;
    readonly claims?: Readonly<Record<string, string>>;
    readonly consented?: readonly string[];
  }): Promise<string>;
}

export function logged(db: Db, { account_id, app_id }: Seed, link: string): Logged {
  const sealer = ownSealer(db);
  let occurrence = 0;
  const sealName = (name: string | undefined, key: string, as: 'host' | 'user') =>
    name === undefined
      ? null
      : sealer.seal(accountOwner(account_id), nameContext({ meeting_key: key, as }), name);
  return {
    async newMeeting(meeting) {
      const { at, topic = null, organization = null, host, user, people = {} } = meeting;
      const key = randomIds.make('mt');
      occurrence += 1;
      const digests = [host, user].flatMap((name) =>
        name === undefined ? [] : nameDigests(sealer, account_id, name),
      );
      await db.query(
        `INSERT INTO meetings (meeting_key, platform, meeting_id, link_uuid, occurrence, account_id,
           status, livemode, topic, organization, host_name_sealed, user_name_sealed, names_blind,
           participant_count, verified_count, occurred_at, created_by, created_at, updated_at)
         VALUES ($1::text, 'conf-a', convert_to($1, 'UTF8'), $2, $3, $4, 'ended', $11,
           $5, $6, $7, $8, $9, 2, 1, $10, 'key', $10, $10)`,
        [
          key,
          link,
          occurrence,
          account_id,
          topic,
          organization,
          await sealName(host, key, 'host'),
          await sealName(user, key, 'user'),
          digests,
          at,
          meeting.livemode ?? true,
        ],
      );
      for (const [person, joinedAt] of Object.entries(people)) {
        await db.query(
          `INSERT INTO meeting_participants (participant_id, meeting_key, account_id, poly_user_id,
             role, status, verification, occurred_at, joined_at, created_at)
           VALUES ($1, $2, $3, $4, 'participant', 'joined', 'verified', $5, $6, $5)`,
          [randomIds.make('pa'), key, account_id, person, at, joinedAt],
        );
      }
      return key;
    },
    async newCheck({ at, title, reference, person, app = app_id, claims = {}, consented = [] }) {
      const id = randomIds.make('tc');
      const context = `trust_checks|claims|${id}`;
      const ofLink = { account_id, link_uuid: link };
      const sealed = await sealer.seal(accountOwner(account_id), context, JSON.stringify(claims));
      await db.query(
        `INSERT INTO trust_checks (link_session_id, link_uuid, app_id, account_id, poly_user_id,
           client, status, proofs, asked, matching, livemode, created_at, decided_at,
           claims_sealed, consent, affidavit_status, names_blind, title_sealed, reference_sealed,
           reference_blind, words_blind)
         VALUES ($1, $2, $3, $4, $5, 'web', 'passed', '[]', '{}', '{}', true, $6, $6, $7, $8,
           'available', $9, $10, $11, $12, $13)`,
        [
          id,
          link,
          app,
          account_id,
          person ?? null,
          at,
          sealed,
          JSON.stringify({ accepted: true, claims: consented }),
          consented.includes('full_name')
            ? nameDigests(sealer, account_id, claims['full_name'] ?? '')
            : [],
          await sealLinkText(sealer, ofLink, 'title', title),
          await sealLinkText(sealer, ofLink, 'reference', reference),
          reference === undefined ? null : referenceDigest(sealer, account_id, reference),
          wordDigests(sealer, account_id, [title, reference]),
        ],
      );
      return id;
    },
  };
}
