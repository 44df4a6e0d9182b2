/** States and transitions of a calendar connection. */
export const calendarConnectionStates = [
  'connected',
  'reconnect_required',
  'disconnected',
] as const;
export type CalendarConnectionState = (typeof calendarConnectionStates)[number];

export const calendarConnectionMoves = ['lose', 'reconnect', 'disconnect'] as const;
export type CalendarConnectionMove = (typeof calendarConnectionMoves)[number];

interface Transition {
  readonly on: CalendarConnectionMove;
  readonly from: readonly CalendarConnectionState[];
  readonly to: CalendarConnectionState;
}

/** One row per transition. A connection starts as `connected`. */
export const calendarConnectionTransitions: readonly Transition[] = [
  { on: 'lose', from: ['connected'], to: 'reconnect_required' },
  { on: 'reconnect', from: ['reconnect_required'], to: 'connected' },
  { on: 'disconnect', from: ['connected', 'reconnect_required'], to: 'disconnected' },
];

/** Returns the state after a move, or null if the move is illegal. */
export function nextCalendarConnectionState(
  from: CalendarConnectionState,
  on: CalendarConnectionMove,
): CalendarConnectionState | null {
  return (
    calendarConnectionTransitions.find((row) => row.on === on && row.from.includes(from))?.to ??
    null
  );
}
