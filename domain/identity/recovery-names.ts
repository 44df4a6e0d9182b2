/**
 * States of a recovery for a person who lost every device: decision 007. `open` and `approved` are
 * live.
 */
export const recoveryStates = [
  'open',
  'approved',
  'denied',
  'canceled',
  'completed',
  'expired',
] as const;
export type RecoveryState = (typeof recoveryStates)[number];

/** What a mail to a member or an invited address reports. */
export const memberMailKinds = [
  'invitation',
  'recovery_opened',
  'recovery_approved',
  'recovery_completed',
] as const;
export type MemberMailKind = (typeof memberMailKinds)[number];
