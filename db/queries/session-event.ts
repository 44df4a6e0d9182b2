import { trustCheckStream, type NewEvent } from './events.ts';
import { sessionObject } from './session-object.ts';
import type { TrustCheckRow } from './trust-checks.ts';

/** The types whose object is a session. */
export type SessionEventType = Extract<
  NewEvent['type'],
  `${'trust_check' | 'proof' | 'affidavit'}.${string}`
>;

/**
 * An event about a trust-check session, for the log.
 * @param told members the object has at this step in place of the row's, or besides them
 */
export function sessionEvent(
  row: TrustCheckRow,
  type: SessionEventType,
  told: Readonly<Record<string, unknown>> = {},
  previousStatus?: string,
): NewEvent {
  return {
    stream: trustCheckStream(row.link_session_id),
    type,
    account_id: row.account_id,
    app_id: row.app_id,
    livemode: row.livemode,
    object_id: row.link_session_id,
    reference_sealed: row.reference_sealed,
    object: { ...sessionObject(row), ...told },
    ...(previousStatus === undefined ? {} : { previousStatus }),
  };
}
