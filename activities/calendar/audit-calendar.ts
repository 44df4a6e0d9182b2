import type { Tx } from '../../db/client.ts';
import { appendAudit } from '../../db/queries/audit.ts';
import type { CalendarConnectionRow } from '../../db/queries/calendar-connections.ts';

/**
 * Appends to the audit log of the account. A connection shared by all accounts has no audit log.
 */
export async function auditCalendar(
  tx: Tx,
  { account_id: accountId, connection_id: objectId, intent }: CalendarConnectionRow,
  entry: { action: 'calendar.connected' | 'calendar.disconnected'; actor: string },
  now: Date,
): Promise<void> {
  if (accountId === null) return;
  const details = { [entry.action === 'calendar.connected' ? 'to' : 'from']: { intent } };
  await appendAudit(tx, { ...entry, accountId, objectId, details }, now);
}
