import { statement, type Queryable } from '../client.ts';

/** Rows of an outbox that wait for a worker. */
export interface OutboxBacklog {
  readonly outbox: string;
  readonly waiting: number;
  readonly oldest_at: Date | null;
}

/** What waits in each table that is an outbox: name, table, condition of its index, its time. */
const outboxes = [
  ['affidavits', 'affidavits', `status = 'pending'`, 'created_at'],
  ['calendars', 'calendar_connections', 'awaits_signal', 'created_at'],
  ['checks', 'trust_checks', 'awaits_start', 'created_at'],
  ['deliveries', 'webhook_deliveries', `status = 'pending'`, 'created_at'],
  ['emails', 'email_requests', 'taken_at IS NULL AND expires_at > now()', 'created_at'],
  ['invitations', 'links', 'awaits_invitation', 'created_at'],
  ['mail_reports', 'mail_reports', 'awaits_signal', 'received_at'],
  ['member_mails', 'member_mails', 'awaits_start', 'created_at'],
  ['meetings', 'meetings', 'awaits_start', 'created_at'],
  ['platform_events', 'webhook_inbox', 'awaits_signal', 'received_at'],
] as const;

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

/** What waits in the outboxes, one row each, empty ones too. */
export async function readBacklog(on: Queryable): Promise<OutboxBacklog[]> {
  return waiting(on, []);
}

export interface OpenChecks {
  readonly state: string;
  readonly checks: number;
}

const open = statement<OpenChecks>(
  'backlog.open_checks',
  `SELECT status AS state, count(*) AS checks FROM trust_checks
   WHERE status NOT IN ('passed', 'failed', 'declined', 'expired', 'abandoned', 'canceled')
   GROUP BY status`,
);

/** Checks that are not over, by state; states that none is in are left out. */
export async function countOpenChecks(on: Queryable): Promise<OpenChecks[]> {
  return open(on, []);
}
