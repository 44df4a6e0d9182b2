/** States and transitions of the flow that connects a calendar. */
export const calendarFlowStates = [
  'started',
  'awaiting_consent',
  'exchanging',
  'connected',
  'expired',
  'denied',
  'nonce_mismatch',
] as const;
export type CalendarFlowState = (typeof calendarFlowStates)[number];

export const calendarFlowMoves = [
  'offer',
  'exchange',
  'connect',
  'deny',
  'mismatch',
  'expire',
] as const;
export type CalendarFlowMove = (typeof calendarFlowMoves)[number];

/** Why no calendar was connected. Callers, operators and the log see only this code. */
export const calendarDenials = [
  'consent_denied',
  'provider_error',
  'issuer_mismatch',
  'role_required',
  'grant_refused',
  'address_unverified',
  'refresh_token_missing',
  'connected_elsewhere',
  'provider_unavailable',
] as const;
export type CalendarDenial = (typeof calendarDenials)[number];

interface Transition {
  readonly on: CalendarFlowMove;
  readonly from: readonly CalendarFlowState[];
  readonly to: CalendarFlowState;
}

/** One row per transition; any other is illegal. */
export const calendarFlowTransitions: readonly Transition[] = [
  { on: 'offer', from: ['started'], to: 'awaiting_consent' },
  { on: 'exchange', from: ['awaiting_consent'], to: 'exchanging' },
  { on: 'connect', from: ['exchanging'], to: 'connected' },
  { on: 'deny', from: ['awaiting_consent', 'exchanging'], to: 'denied' },
  { on: 'mismatch', from: ['awaiting_consent'], to: 'nonce_mismatch' },
  { on: 'expire', from: ['started', 'awaiting_consent'], to: 'expired' },
];

/** Returns the state after a move, or null if the move is illegal. */
export function nextCalendarFlowState(
  from: CalendarFlowState,
  on: CalendarFlowMove,
): CalendarFlowState | null {
  return (
    calendarFlowTransitions.find((row) => row.on === on && row.from.includes(from))?.to ?? null
  );
}
