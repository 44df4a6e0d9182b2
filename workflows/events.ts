/**
 * Every event the platform emits (domain §4): one vocabulary for sockets, webhooks and the pull
 * feed.
 */
export const eventTypes = [
  'link.created',
  'link.updated',
  'link.reserved',
  'link.consumed',
  'link.expired',
  'link.deleted',
  'link.delivery_updated',
  'trust_check.created',
  'trust_check.opened',
  'trust_check.paired',
  'trust_check.consented',
  'trust_check.processing',
  'trust_check.requires_retry',
  'trust_check.retried',
  'trust_check.in_review',
  'trust_check.passed',
  'trust_check.failed',
  'trust_check.declined',
  'trust_check.abandoned',
  'trust_check.expired',
  'trust_check.canceled',
  'trust_check.revoked',
  'trust_check.reverify_due',
  'trust_check.redacted',
  'proof.updated',
  'affidavit.available',
  'affidavit.failed',
  'affidavit.superseded',
  'meeting.scheduled',
  'meeting.started',
  'meeting.participant_joined',
  'meeting.participant_status',
  'meeting.participant_left',
  'meeting.ended',
  'meeting.report_ready',
  'meeting.tracking_lost',
  'call.state',
  'call.score_updated',
  'call.code_rotated',
  'call.signal',
  'identity.email_linked',
  'identity.email_revoked',
  'identity.merged',
  'identity.recovery_updated',
  'calendar.connected',
  'calendar.reconnect_required',
  'calendar.disconnected',
] as const;
export type EventType = (typeof eventTypes)[number];

/**
 * The dated version of the interface, which answers and event bodies state. It changes only with a
 * breaking change.
 */
export const apiVersion = '2026-11-25';
