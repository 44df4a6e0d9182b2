import { trustCheckStream, type NewEvent } from './events.ts';
import { sessionObject } from './session-object.ts';
import type { TrustCheckRow } from './trust-checks.ts';

/** Event types with a session as their object. */
export type SessionEventType = Extract<
  NewEvent['type'],
  `${'trust_check' | 'proof' | 'affidavit'}.${string}`
>;

/**
 * Returns an event about a trust-check session.
 * @param extra members of the object at this step that replace or extend those of the row
 */
export function sessionEvent(
  row: TrustCheckRow,
  type: SessionEventType,
  extra: Readonly<Record<string, unknown>> = {},
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
    object: { ...sessionObject(row), ...extra },
    ...(previousStatus === undefined ? {} : { previousStatus }),
  };
}
