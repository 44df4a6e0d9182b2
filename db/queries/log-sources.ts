import type { LogSource } from '../../domain/names.ts';
import type { MeetingRow } from './meetings.ts';
import type { TrustCheckRow } from './trust-checks.ts';

/**
 * Rows that a log covers: those of an account, of one app, or of a person in one or all accounts.
 */
export type LogScope =
  | { readonly kind: 'account'; readonly accountId: number }
  | { readonly kind: 'app'; readonly accountId: number; readonly appId: string }
  | { readonly kind: 'person'; readonly polyUserId: string; readonly accountId: number }
  | { readonly kind: 'everywhere'; readonly polyUserId: string };

/** Position of a row in the common order of both sources: newest first, then by source and id. */
export interface LogKey {
  readonly at: Date;
  readonly source: LogSource;
  readonly id: string;
}

/** The columns of a log row. Columns that exist only in the other source are null. */
export type LoggedRow = LogKey &
  Pick<MeetingRow, 'account_id' | 'livemode' | 'link_uuid' | 'ended_at'> & {
    readonly reason_code: string | null;
  } & (
    | ({ readonly source: 'meeting' } & Pick<
        MeetingRow,
        | 'status'
        | 'topic'
        | 'platform'
        | 'meeting_id'
        | 'organization'
        | 'host_name_sealed'
        | 'user_name_sealed'
        | 'participant_count'
        | 'verified_count'
      >)
    | ({ readonly source: 'trust_check' } & Pick<
        TrustCheckRow,
        | 'status'
        | 'title_sealed'
        | 'app_id'
        | 'poly_user_id'
        | 'affidavit_status'
        | 'claims_sealed'
        | 'consent'
        | 'redacted_at'
        | 'created_at'
        | 'submitted_at'
        | 'subject_reasons'
      >)
  );

/** Reads the rows of keys, each by its primary key, independent of the planner's estimates. */
export const logged: Readonly<Record<LogSource, string>> = {
  meeting: `SELECT account_id, livemode, link_uuid, ended_at, topic,
      NULL::bytea AS title_sealed, end_reason AS reason_code, status::text, platform::text,
      meeting_id, organization, host_name_sealed, user_name_sealed, participant_count,
      verified_count, NULL AS app_id, NULL AS poly_user_id, NULL AS affidavit_status,
      NULL::bytea AS claims_sealed,
      NULL::jsonb AS consent, NULL::timestamptz AS redacted_at, NULL::timestamptz AS created_at,
      NULL::timestamptz AS submitted_at, NULL AS subject_reasons
    FROM meetings WHERE k.source = 'meeting' AND meeting_key = k.id`,
  trust_check: `SELECT account_id, livemode, link_uuid, decided_at AS ended_at,
      NULL AS topic, title_sealed, reason_code, status::text, NULL AS platform,
      NULL::bytea AS meeting_id, NULL AS organization, NULL::bytea AS host_name_sealed,
      NULL::bytea AS user_name_sealed, NULL::int AS participant_count, NULL::int AS verified_count,
      app_id, poly_user_id, affidavit_status::text, claims_sealed, consent, redacted_at, created_at,
      submitted_at, subject_reasons
    FROM trust_checks WHERE k.source = 'trust_check' AND link_session_id = k.id`,
};

/** Rows of one source. `at` and `id` are the index columns after the columns of `where`. */
export interface Source {
  readonly from: string;
  readonly where: string;
  readonly at: string;
  readonly id: string;
  /** SQL condition: the row is in test mode. */
  readonly isTest: string;
}
/** A source with a search condition. */
export interface Searched extends Source {
  readonly found: string;
}

const like = (text: string): string => `${text} COLLATE "pg_c_utf8" ILIKE $3`;
const meetingTexts = `${like('m.topic')} OR ${like('m.organization')}`;
const idsOf = {
  meeting: 'm.meeting_key = $4 OR m.link_uuid = $4',
  trust_check: 't.link_session_id = $4 OR t.link_uuid = $4',
};
/** Digests per account, for a search over several accounts. */
const digestsOfEach = (sought: '$5' | '$6', of: 'm' | 't', column: string): string => `EXISTS (
  SELECT 1 FROM jsonb_each(${sought}::jsonb) AS n (id, digests) WHERE n.id = ${of}.account_id::text
    AND ${of}.${column} @> ARRAY(SELECT jsonb_array_elements_text(n.digests)))`;
/** Subqueries that find names through the indexes of these views. */
const named = {
  meeting: `SELECT m.meeting_key FROM named_meetings m
    WHERE m.account_id = $1::int AND m.names_blind @> $5::text[]`,
  trust_check: `SELECT t.link_session_id FROM listed_trust_checks t
    WHERE t.account_id = $1::int AND t.names_blind @> $5::text[]`,
};

const isTestMeeting = (id: string): string => `EXISTS (
  SELECT 1 FROM meetings tm WHERE tm.meeting_key = ${id} AND NOT tm.livemode)`;
/** A log entry has no mode column. A check has the mode of its app. */
const isTestEntry = {
  meeting: isTestMeeting('e.id'),
  trust_check: `e.app_id IN (
    SELECT a.app_id FROM apps a WHERE a.account_id = $1::int AND NOT a.livemode)`,
};

/** For one account, searches texts in an index that has only the log columns. */
function entriesOf(source: LogSource, whose: string): Searched {
  const text = (name: string): string => `e.${name} LIKE lower($3 COLLATE "pg_c_utf8")`;
  return {
    from: 'log_entries e',
    where: `e.account_id = $1::int AND e.source = '${source}' AND ${whose}`,
    at: 'e.at',
    id: 'e.id',
    isTest: isTestEntry[source],
    found: `(${text('title')} OR ${text('detail')} OR e.words LIKE ALL ($6::text[])
      OR e.id = $4 OR e.link_uuid = $4 OR e.id IN (${named[source]}))`,
  };
}

/** Refers to a parameter without effect, because PostgreSQL requires each one to occur. */
export const unnamed = '$2::text IS NULL';
const checks = (where: string): Source => ({
  from: 'trust_checks t',
  where,
  at: 't.created_at',
  id: 't.link_session_id',
  isTest: 'NOT t.livemode',
});
const met = (where: string): Source => ({
  from: 'meeting_participants p',
  where,
  at: 'p.occurred_at',
  id: 'p.meeting_key',
  isTest: isTestMeeting('p.meeting_key'),
});
/** A person has few meetings, so they are searched without an index. */
const searchedMet = (source: Source): Searched => ({
  ...source,
  from: `${source.from} JOIN meetings m USING (meeting_key)`,
  // All search statements get the same parameters; PostgreSQL requires each to occur.
  found: `($6::jsonb IS NOT NULL AND (${meetingTexts} OR ${idsOf.meeting}
    OR ${digestsOfEach('$5', 'm', 'names_blind')}))`,
});
const searchedChecks = (source: Source): Searched => ({
  ...source,
  found: `($3::text IS NOT NULL AND (${idsOf.trust_check}
    OR ${digestsOfEach('$5', 't', 'names_blind')}
    OR ${digestsOfEach('$6', 't', 'words_blind')}))`,
});

type Sources = Readonly<
  Partial<Record<LogSource, { readonly all: Source; readonly searched: Searched }>>
>;
function sourcesOfPerson(whose: (of: 'p' | 't') => string): Sources {
  const [meeting, check] = [met(whose('p')), checks(whose('t'))];
  return {
    meeting: { all: meeting, searched: searchedMet(meeting) },
    trust_check: { all: check, searched: searchedChecks(check) },
  };
}
export const sourcesOf: Readonly<Record<LogScope['kind'], Sources>> = {
  account: {
    meeting: {
      all: {
        from: 'meetings m',
        where: `m.account_id = $1::int AND ${unnamed}`,
        at: 'm.occurred_at',
        id: 'm.meeting_key',
        isTest: 'NOT m.livemode',
      },
      searched: entriesOf('meeting', unnamed),
    },
    trust_check: {
      all: checks(`t.account_id = $1::int AND ${unnamed}`),
      searched: entriesOf('trust_check', unnamed),
    },
  },
  // Meetings have no app.
  app: {
    trust_check: {
      all: checks('t.account_id = $1::int AND t.app_id = $2::text'),
      searched: entriesOf('trust_check', 'e.app_id = $2::text'),
    },
  },
  person: sourcesOfPerson((of) => `${of}.poly_user_id = $1::text AND ${of}.account_id = $2::int`),
  everywhere: sourcesOfPerson((of) => `${of}.poly_user_id = $1::text AND ${unnamed}`),
};
