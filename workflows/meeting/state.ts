/** States and transitions of a meeting. */
export const meetingStates = [
  'scheduled',
  'starting',
  'live',
  'ended',
  'reported',
  'start_failed',
  'canceled',
  'no_show',
] as const;
export type MeetingState = (typeof meetingStates)[number];

export const meetingMoves = [
  'start',
  'go_live',
  'fail_start',
  'cancel',
  'miss',
  'end',
  'report',
] as const;
export type MeetingMove = (typeof meetingMoves)[number];

interface Transition {
  readonly on: MeetingMove;
  readonly from: readonly MeetingState[];
  readonly to: MeetingState;
}

/** One row per transition; any other is illegal. */
export const meetingTransitions: readonly Transition[] = [
  { on: 'start', from: ['scheduled'], to: 'starting' },
  // The platform may admit a person without us. Then its event starts the meeting.
  { on: 'go_live', from: ['scheduled', 'starting'], to: 'live' },
  { on: 'fail_start', from: ['starting'], to: 'start_failed' },
  { on: 'cancel', from: ['scheduled', 'starting'], to: 'canceled' },
  { on: 'miss', from: ['scheduled', 'starting'], to: 'no_show' },
  { on: 'end', from: ['live'], to: 'ended' },
  { on: 'report', from: ['ended'], to: 'reported' },
];

/** Returns the state after a move, or null if the move is illegal. */
export function nextMeetingState(from: MeetingState, on: MeetingMove): MeetingState | null {
  return meetingTransitions.find((row) => row.on === on && row.from.includes(from))?.to ?? null;
}

const over: readonly MeetingState[] = ['ended', 'reported', 'start_failed', 'canceled', 'no_show'];

/** Whether the meeting has ended. Its report may still be made. */
export function isMeetingOver(state: MeetingState): boolean {
  return over.includes(state);
}
