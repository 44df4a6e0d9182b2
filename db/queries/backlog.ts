import { statement, type Queryable } from '../client.ts';
import { isJudging } from '../schema/trust-checks.ts';

/** Rows of an outbox that are waiting for a worker. */
export interface OutboxBacklog {
  readonly outbox: string;
  readonly waiting: number;
  readonly oldest_at: Date | null;
}

/** Excludes links with a check in decision: those wait for the decision, not for a worker. */
const deleted = `ends_sessions AND NOT EXISTS (SELECT FROM trust_checks t
  WHERE t.link_uuid = links.link_uuid AND t.status = 'processing')`;

const ended = `ends_checks AND NOT EXISTS (SELECT FROM trust_checks t
  WHERE t.device_id = devices.device_id AND t.status = 'processing')`;

/**
 * Each outbox: name, table, condition, and since when a row waits. `:now` is the current time. A
 * failed affidavit waits at the earliest since `failed_at`.
 */
export const outboxes = [
  ['affidavits', 'affidavits', `status = 'pending'`, 'greatest(created_at, failed_at)'],
  ['calendars', 'calendar_connections', 'awaits_signal', 'connected_at'],
  ['checks', 'trust_checks', 'awaits_start', 'created_at'],
  ['deleted_links', 'links', deleted, 'updated_at'],
  ['deliveries', 'webhook_deliveries', `status = 'pending'`, 'created_at'],
  ['device_recalls', 'devices', 'recall_due IS NOT NULL', 'greatest(created_at, revoked_at)'],
  ['emails', 'email_requests', 'taken_at IS NULL AND expires_at > :now', 'created_at'],
  ['ended_devices', 'devices', ended, 'revoked_at'],
  ['invitations', 'links', 'awaits_invitation', 'created_at'],
  ['log_proofs', 'affidavits', 'awaits_log_proof', 'available_at'],
  ['mail_reports', 'mail_reports', 'awaits_signal', 'received_at'],
  ['member_mails', 'member_mails', 'awaits_start', 'created_at'],
  ['meetings', 'meetings', 'awaits_start', 'created_at'],
  ['platform_events', 'webhook_inbox', 'awaits_signal', 'received_at'],
  ['submissions', 'trust_checks', isJudging, `(log->-1->>'at')::timestamptz`],
] as const;
export type OutboxName = (typeof outboxes)[number][0];

const looks = outboxes
  .map(
    ([name, table, where, at]) =>
      `SELECT '${name}' AS outbox, count(*) AS waiting, min(${at}) AS oldest_at
       FROM ${table} WHERE ${where}`,
  )
  .join(' UNION ALL ');
const waiting = statement<OutboxBacklog>(
  'backlog.outboxes',
  `SELECT outbox, waiting, oldest_at FROM (${looks}) AS looks`,
);

/** Returns one row per outbox, empty ones included. */
export async function readBacklog(on: Queryable, now: Date): Promise<OutboxBacklog[]> {
  return waiting(on, { now });
}

export interface OpenChecks {
  readonly state: string;
  readonly checks: number;
  /** Entry of the oldest check in this state; only for `processing`. */
  readonly oldest_at: Date | null;
}

const open = statement<OpenChecks>(
  'backlog.open_checks',
  `SELECT status AS state, count(*) AS checks,
     min((log->-1->>'at')::timestamptz) FILTER (WHERE status = 'processing') AS oldest_at
   FROM trust_checks
   WHERE status NOT IN ('passed', 'failed', 'declined', 'expired', 'abandoned', 'canceled')
   GROUP BY status`,
);

/** Counts the open checks by state. States without checks are omitted. */
export async function countOpenChecks(on: Queryable): Promise<OpenChecks[]> {
  return open(on, []);
}
