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
 * A meeting that was started by a link. What a log row shows of it stands in this row: topic and
 * organization as the account wrote them, names of people sealed, and digests to find them by.
 */
export const meetings = pgTable(
  'meetings',
  {
    /** Comes of link and occurrence, so that two who start at once start one. */
    meeting_key: text('meeting_key').primaryKey(),
    platform: meetingPlatform('platform').notNull(),
    /** The platform's own id, in bytes whatever way it was spelled; null until there is one. */
    meeting_id: bytea('meeting_id'),
    link_uuid: text('link_uuid')
      .notNull()
      .references(() => links.link_uuid),
    /** From 1: a link that is used again leads to another meeting. */
    occurrence: integer('occurrence').notNull(),
    account_id: integer('account_id')
      .notNull()
      .references(() => accounts.account_id),
    status: meetingState('status').notNull(),
    tracking: trackingState('tracking').notNull().default('ok'),
    /** Rises with every event of it. */
    version: integer('version').notNull().default(0),
    livemode: boolean('livemode').notNull(),
    topic: text('topic'),
    organization: text('organization'),
    /** The name of its host, and of the first participant besides. */
    host_name_sealed: bytea('host_name_sealed'),
    user_name_sealed: bytea('user_name_sealed'),
    /** Keyed digests of the beginnings of every word of its people's names. */
    names_blind: text('names_blind').array().notNull(),
    /** Who have joined, and those of them who are verified: each once, still there or not. */
    participant_count: integer('participant_count').notNull().default(0),
    verified_count: integer('verified_count').notNull().default(0),
    /** Where its platform lets people in; null where that follows from its id. */
    join_url_sealed: bytea('join_url_sealed'),
    /** When it takes place: its start, before that the planned one, without one its creation. */
    occurred_at: instant('occurred_at').notNull(),
    scheduled_at: instant('scheduled_at'),
    started_at: instant('started_at'),
    ended_at: instant('ended_at'),
    end_reason: text('end_reason'),
    created_by: text('created_by').notNull(),
    created_at: instant('created_at').notNull(),
    updated_at: instant('updated_at').notNull(),
    /** Whether its workflow is not known to be started: the outbox of the relay that starts it. */
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

/** Somebody in a meeting: one row a person, however often they leave and come again. */
export const meetingParticipants = pgTable(
  'meeting_participants',
  {
    participant_id: text('participant_id').primaryKey(),
    meeting_key: text('meeting_key')
      .notNull()
      .references(() => meetings.meeting_key),
    account_id: integer('account_id').notNull(),
    /** Who it is, where that is known. */
    poly_user_id: text('poly_user_id'),
    role: participantRole('role').notNull(),
    display_name_sealed: bytea('display_name_sealed'),
    status: participantState('status').notNull(),
    verification: verificationState('verification').notNull(),
    attestation: attestationLevel('attestation'),
    join_session_id: text('join_session_id'),
    /** The trust check they were verified by. */
    link_session_id: text('link_session_id'),
    /** Keyed digest of what the platform calls them. */
    external_blind: bytea('external_blind'),
    /** The key or the session's person they were brought in by; null for who came by a link. */
    created_by: text('created_by'),
    /** That of the meeting, for lists of a person's meetings. */
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

/** Somebody on their way into a meeting: from its link to its door, by way of a trust check. */
export const joinSessions = pgTable(
  'join_sessions',
  {
    join_session_id: text('join_session_id').primaryKey(),
    link_uuid: text('link_uuid')
      .notNull()
      .references(() => links.link_uuid),
    account_id: integer('account_id').notNull(),
    participant_id: text('participant_id').notNull(),
    /** What is on record; what its trust check makes of it is looked up. */
    status: joinSessionState('status').notNull(),
    display_name_sealed: bytea('display_name_sealed'),
    platform: meetingPlatform('platform').notNull(),
    client: text('client').$type<JoinClient>().notNull(),
    /** Hash of the cookie of the browser it was made in. */
    browser_hash: bytea('browser_hash').notNull(),
    /** SHA-256 of the nonce it was asked for with; null once it is used, or where none came. */
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

/** A report of a meeting as it stood at one version: the file lies in the object store. */
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

/** What a conference platform has told, each event once, until the meeting's workflow has it. */
export const webhookInbox = pgTable(
  'webhook_inbox',
  {
    /** What the sender tells two events apart by, digested. */
    event_id: text('event_id').primaryKey(),
    platform: meetingPlatform('platform').notNull(),
    /** The meeting it is about; null where none of ours is. */
    meeting_key: text('meeting_key'),
    /** The event as it came. */
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
