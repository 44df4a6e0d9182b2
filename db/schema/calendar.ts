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

/** Whose credential began a flow, and what it was allowed: asked again when the browser is back. */
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

/** Browsers that are on their way to the calendar provider, each by a digest of its `state`. */
export const calendarFlows = pgTable(
  'calendar_flows',
  {
    state_hash: bytea('state_hash').primaryKey(),
    flow_id: text('flow_id').notNull(),
    /** Hash of the cookie of the browser that began. */
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

/** Authorization codes that browsers came back with, until they are exchanged. */
export const calendarAnswers = pgTable(
  'calendar_answers',
  {
    flow_id: text('flow_id').primaryKey(),
    /** Null for an address that all accounts share. */
    account_id: integer('account_id').references(() => accounts.account_id),
    intent: calendarIntent('intent').notNull(),
    poly_user_id: text('poly_user_id').references(() => polyUsers.poly_user_id),
    created_by: text('created_by').notNull(),
    /** Code, PKCE verifier, OpenID nonce and what else the answer said. */
    answer_sealed: bytea('answer_sealed').notNull(),
    created_at: instant('created_at').notNull(),
  },
  (table) => [index('calendar_answers_age').on(table.created_at)],
);

/** Calendars that were connected, each by the consent of whoever has its address. */
export const calendarConnections = pgTable(
  'calendar_connections',
  {
    connection_id: text('connection_id').primaryKey(),
    /** Null for an address that all accounts share. */
    account_id: integer('account_id').references(() => accounts.account_id),
    intent: calendarIntent('intent').notNull(),
    /** Whose calendar it is, for `organizer`; else who connected it, if that was a person. */
    poly_user_id: text('poly_user_id').references(() => polyUsers.poly_user_id),
    created_by: text('created_by').notNull(),
    status: calendarConnectionState('status').notNull(),
    /** Rises with every change of it. */
    version: integer('version').notNull().default(1),
    /** A keyed digest of intent, issuer and subject: what the issuer calls people is not kept. */
    subject_blind: bytea('subject_blind').notNull(),
    address_sealed: bytea('address_sealed').notNull(),
    /** Null once it is disconnected. */
    refresh_token_sealed: bytea('refresh_token_sealed'),
    /** The flow that was consented to last: an exchange that is repeated finds what it has done. */
    flow_id: text('flow_id').notNull(),
    created_at: instant('created_at').notNull(),
    /** When somebody has consented last. */
    connected_at: instant('connected_at').notNull(),
    refreshed_at: instant('refreshed_at'),
    disconnected_at: instant('disconnected_at'),
    /** Whether its workflow is not known to be told: the outbox of the relay that tells it. */
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
