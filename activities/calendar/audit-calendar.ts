import type { Tx } from '../../db/client.ts';
import { appendAudit } from '../../db/queries/audit.ts';
import type { CalendarConnectionRow } from '../../db/queries/calendar-connections.ts';

/** Tells the audit log of the account; one that all accounts share is in nobody's. */
export async function auditCalendar(
  tx: Tx,
  { account_id: accountId, connection_id: objectId, intent }: CalendarConnectionRow,
  told: { action: 'calendar.connected' | 'calendar.disconnected'; actor: string },
  now: Date,
): Promise<void> {
  if (accountId === null) return;
  const details = { [told.action === 'calendar.connected' ? 'to' : 'from']: { intent } };
  await appendAudit(tx, { ...told, accountId, objectId, details }, now);
}
