import {
  attestationLevels,
  joinSessionStates,
  type JoinClient,
  meetingPlatforms,
  meetingReportStates,
  participantRoles,
  participantStates,
  trackingStates,
  verificationStates,
} from '../../domain/names.ts';
import { meetingStates } from '../../workflows/meeting/state.ts';
import { accounts } from './accounts.ts';
import { bytea, instant } from './columns.ts';
import { boolean, index, integer, pgEnum, pgTable, sql, text, uniqueIndex } from './drizzle.ts';
import { links } from './links.ts';

export const meetingPlatform = pgEnum('meeting_platform', meetingPlatforms);
export const meetingState = pgEnum('meeting_state', meetingStates);
export const trackingState = pgEnum('tracking_state', trackingStates);
export const participantRole = pgEnum('participant_role', participantRoles);
export const participantState = pgEnum('participant_state', participantStates);
export const verificationState = pgEnum('verification_state', verificationStates);
export const attestationLevel = pgEnum('attestation_level', attestationLevels);
export const joinSessionState = pgEnum('join_session_state', joinSessionStates);
export const meetingReportState = pgEnum('meeting_report_state', meetingReportStates);

/**
 * A meeting started by a link. The row has everything that a log entry shows: topic and
 * organization in plain text, names of people sealed, and digests to search for names.
 */
export const meetings = pgTable(
  'meetings',
  {
    /** Derived from link and occurrence, so that concurrent starts create one meeting. */
    meeting_key: text('meeting_key').primaryKey(),
    platform: meetingPlatform('platform').notNull(),
    /** The id of the platform as bytes, independent of its spelling; null until it exists. */
    meeting_id: bytea('meeting_id'),
    link_uuid: text('link_uuid')
      .notNull()
      .references(() => links.link_uuid),
    /** Starts at 1. A link that is used again leads to another meeting. */
    occurrence: integer('occurrence').notNull(),
    account_id: integer('account_id')
      .notNull()
      .references(() => accounts.account_id),
    status: meetingState('status').notNull(),
    tracking: trackingState('tracking').notNull().default('ok'),
    /** Increases with every event of the meeting. */
    version: integer('version').notNull().default(0),
    livemode: boolean('livemode').notNull(),
    topic: text('topic'),
    organization: text('organization'),
    /** Names of the host and of the first other participant. */
    host_name_sealed: bytea('host_name_sealed'),
    user_name_sealed: bytea('user_name_sealed'),
    /** Keyed digests of the prefixes of every word of the participants' names. */
    names_blind: text('names_blind').array().notNull(),
    /**
     * People who have joined, and how many of them are verified. Each counts once, still present or
     * not.
     */
    participant_count: integer('participant_count').notNull().default(0),
    verified_count: integer('verified_count').notNull().default(0),
    /** Join URL of the platform; null if it follows from the meeting id. */
    join_url_sealed: bytea('join_url_sealed'),
    /** Actual start; before that the scheduled start, or the creation if none is scheduled. */
    occurred_at: instant('occurred_at').notNull(),
    scheduled_at: instant('scheduled_at'),
    started_at: instant('started_at'),
    ended_at: instant('ended_at'),
    end_reason: text('end_reason'),
    created_by: text('created_by').notNull(),
    created_at: instant('created_at').notNull(),
    updated_at: instant('updated_at').notNull(),
    /** True until its workflow is known to be started: the outbox of the relay that starts it. */
    awaits_start: boolean('awaits_start').notNull().default(true),
  },
  (table) => [
    uniqueIndex('meetings_platform_id').on(table.platform, table.meeting_id),
    uniqueIndex('meetings_link').on(table.link_uuid, table.occurrence),
    index('meetings_account').on(table.account_id, table.occurred_at, table.meeting_key),
    index('meetings_in_test')
      .on(table.account_id, table.occurred_at, table.meeting_key)
      .where(sql`NOT ${table.livemode}`),
    index('meetings_names').using('gin', table.account_id, table.names_blind),
    index('meetings_awaiting_start')
      .on(table.created_at)
      .where(sql`awaits_start`),
  ],
);

/** A participant of a meeting: one row per person, however often they leave and return. */
export const meetingParticipants = pgTable(
  'meeting_participants',
  {
    participant_id: text('participant_id').primaryKey(),
    meeting_key: text('meeting_key')
      .notNull()
      .references(() => meetings.meeting_key),
    account_id: integer('account_id').notNull(),
    /** Null if the person is not known. */
    poly_user_id: text('poly_user_id'),
    role: participantRole('role').notNull(),
    display_name_sealed: bytea('display_name_sealed'),
    status: participantState('status').notNull(),
    verification: verificationState('verification').notNull(),
    attestation: attestationLevel('attestation'),
    join_session_id: text('join_session_id'),
    /** The trust check that verified the participant. */
    link_session_id: text('link_session_id'),
    /** Keyed digest of the participant's id on the platform. */
    external_blind: bytea('external_blind'),
    /**
     * The key or the session's person that added the participant; null if they joined through a
     * link.
     */
    created_by: text('created_by'),
    /** Copied from the meeting, for lists of a person's meetings. */
    occurred_at: instant('occurred_at').notNull(),
    joined_at: instant('joined_at'),
    left_at: instant('left_at'),
    created_at: instant('created_at').notNull(),
  },
  (table) => [
    uniqueIndex('meeting_participants_person')
      .on(table.meeting_key, table.poly_user_id)
      .where(sql`poly_user_id IS NOT NULL`),
    uniqueIndex('meeting_participants_external')
      .on(table.meeting_key, table.external_blind)
      .where(sql`external_blind IS NOT NULL`),
    index('meeting_participants_meeting').on(table.meeting_key, table.created_at),
    index('meeting_participants_user').on(
      table.poly_user_id,
      table.account_id,
      table.occurred_at,
      table.meeting_key,
    ),
    index('meeting_participants_check').on(table.link_session_id),
  ],
);

/** A person on the way from a meeting link, through a trust check, into the meeting. */
export const joinSessions = pgTable(
  'join_sessions',
  {
    join_session_id: text('join_session_id').primaryKey(),
    link_uuid: text('link_uuid')
      .notNull()
      .references(() => links.link_uuid),
    account_id: integer('account_id').notNull(),
    participant_id: text('participant_id').notNull(),
    /** Stored state. The effect of the trust check on it is computed on reading. */
    status: joinSessionState('status').notNull(),
    display_name_sealed: bytea('display_name_sealed'),
    platform: meetingPlatform('platform').notNull(),
    client: text('client').$type<JoinClient>().notNull(),
    /** Hash of the cookie of the browser that created it. */
    browser_hash: bytea('browser_hash').notNull(),
    /** SHA-256 of the nonce of its creation request; null if none was sent, or after use. */
    nonce_hash: bytea('nonce_hash'),
    link_session_id: text('link_session_id'),
    meeting_key: text('meeting_key').references(() => meetings.meeting_key),
    created_at: instant('created_at').notNull(),
    expires_at: instant('expires_at').notNull(),
    joined_at: instant('joined_at'),
  },
  (table) => [
    index('join_sessions_browser').on(table.browser_hash, table.link_uuid, table.created_at),
    index('join_sessions_check').on(table.link_session_id),
    uniqueIndex('join_sessions_participant').on(table.participant_id),
  ],
);

/** Report of a meeting at one version. The file is in the object store. */
export const meetingReports = pgTable(
  'meeting_reports',
  {
    report_id: text('report_id').primaryKey(),
    meeting_key: text('meeting_key')
      .notNull()
      .references(() => meetings.meeting_key),
    account_id: integer('account_id').notNull(),
    version: integer('version').notNull(),
    status: meetingReportState('status').notNull(),
    object_key: text('object_key').notNull(),
    sha256: text('sha256'),
    size_bytes: integer('size_bytes'),
    created_by: text('created_by').notNull(),
    created_at: instant('created_at').notNull(),
    available_at: instant('available_at'),
  },
  (table) => [
    uniqueIndex('meeting_reports_version').on(table.meeting_key, table.version),
    uniqueIndex('meeting_reports_object').on(table.object_key),
  ],
);

/**
 * Events received from conference platforms, each once, until the meeting's workflow has processed
 * them.
 */
export const webhookInbox = pgTable(
  'webhook_inbox',
  {
    /** Digest of the values by which the sender distinguishes events. */
    event_id: text('event_id').primaryKey(),
    platform: meetingPlatform('platform').notNull(),
    /** The meeting concerned; null if it is not one of ours. */
    meeting_key: text('meeting_key'),
    /** The event as received. */
    body_sealed: bytea('body_sealed'),
    received_at: instant('received_at').notNull(),
    awaits_signal: boolean('awaits_signal').notNull().default(true),
    taken_at: instant('taken_at'),
  },
  (table) => [
    index('webhook_inbox_received').on(table.received_at),
    index('webhook_inbox_awaiting')
      .on(table.received_at)
      .where(sql`awaits_signal`),
  ],
);
