import { calendarIntents, type Role } from '../../domain/names.ts';
import { calendarConnectionStates } from '../../workflows/calendar-connection/state.ts';
import { accounts, polyUsers } from './accounts.ts';
import { bytea, instant } from './columns.ts';
import {
  boolean,
  index,
  integer,
  jsonb,
  pgEnum,
  pgTable,
  sql,
  text,
  uniqueIndex,
} from './drizzle.ts';

export const calendarIntent = pgEnum('calendar_intent', calendarIntents);
export const calendarConnectionState = pgEnum(
  'calendar_connection_state',
  calendarConnectionStates,
);

/**
 * The credential that started a flow, with its permissions. It is checked again when the browser
 * returns.
 */
export type CalendarStarter =
  | {
      readonly kind: 'session';
      readonly poly_user_id: string;
      readonly sid: string;
      readonly account_id: number | null;
      readonly roles: readonly Role[];
      readonly provider: string | null;
    }
  | { readonly kind: 'api-key'; readonly key_id: string; readonly roles: readonly Role[] };

/** Consent flows in progress at a calendar provider, by a digest of `state`. */
export const calendarFlows = pgTable(
  'calendar_flows',
  {
    state_hash: bytea('state_hash').primaryKey(),
    flow_id: text('flow_id').notNull(),
    /** Hash of the cookie of the browser that started the flow. */
    browser_hash: bytea('browser_hash').notNull(),
    started_by: jsonb('started_by').$type<CalendarStarter>().notNull(),
    account_id: integer('account_id').references(() => accounts.account_id),
    intent: calendarIntent('intent').notNull(),
    /** PKCE verifier and OpenID nonce. */
    secrets_sealed: bytea('secrets_sealed').notNull(),
    return_to: text('return_to'),
    created_at: instant('created_at').notNull(),
    expires_at: instant('expires_at').notNull(),
  },
  (table) => [index('calendar_flows_expiry').on(table.expires_at)],
);

/** Authorization codes that are not exchanged yet. */
export const calendarAnswers = pgTable(
  'calendar_answers',
  {
    flow_id: text('flow_id').primaryKey(),
    /** Null for an address that all accounts share. */
    account_id: integer('account_id').references(() => accounts.account_id),
    intent: calendarIntent('intent').notNull(),
    poly_user_id: text('poly_user_id').references(() => polyUsers.poly_user_id),
    created_by: text('created_by').notNull(),
    /** Code, PKCE verifier, OpenID nonce and the other parameters of the callback. */
    answer_sealed: bytea('answer_sealed').notNull(),
    created_at: instant('created_at').notNull(),
  },
  (table) => [index('calendar_answers_age').on(table.created_at)],
);

/** Connected calendars, each with the consent of the owner of its address. */
export const calendarConnections = pgTable(
  'calendar_connections',
  {
    connection_id: text('connection_id').primaryKey(),
    /** Null for an address that all accounts share. */
    account_id: integer('account_id').references(() => accounts.account_id),
    intent: calendarIntent('intent').notNull(),
    /**
     * For `organizer`, the owner of the calendar. Otherwise the person who connected it, or null if
     * a key did.
     */
    poly_user_id: text('poly_user_id').references(() => polyUsers.poly_user_id),
    created_by: text('created_by').notNull(),
    status: calendarConnectionState('status').notNull(),
    /** Increases with every change of the row. */
    version: integer('version').notNull().default(1),
    /** Keyed digest of intent, issuer and subject. The subject itself is not stored. */
    subject_blind: bytea('subject_blind').notNull(),
    address_sealed: bytea('address_sealed').notNull(),
    /** Null after it is disconnected. */
    refresh_token_sealed: bytea('refresh_token_sealed'),
    /**
     * The last flow that was consented to. A repeated exchange uses it to find its earlier result.
     */
    flow_id: text('flow_id').notNull(),
    created_at: instant('created_at').notNull(),
    /** Time of the last consent. */
    connected_at: instant('connected_at').notNull(),
    refreshed_at: instant('refreshed_at'),
    disconnected_at: instant('disconnected_at'),
    /** True until its workflow is known to be signaled: the outbox of the relay that signals it. */
    awaits_signal: boolean('awaits_signal').notNull().default(true),
  },
  (table) => [
    uniqueIndex('calendar_connections_subject')
      .on(table.subject_blind)
      .where(sql`status <> 'disconnected'`),
    uniqueIndex('calendar_connections_flow').on(table.flow_id),
    index('calendar_connections_account').on(table.account_id, table.created_at),
    index('calendar_connections_awaiting')
      .on(table.created_at)
      .where(sql`awaits_signal`),
  ],
);
