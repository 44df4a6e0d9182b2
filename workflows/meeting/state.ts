/** The meeting as data (domain §2): its states, what moves it, and where each move leads. */
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

/** One row per arrow; an arrow that is not here is an illegal transition. */
export const meetingTransitions: readonly Transition[] = [
  { on: 'start', from: ['scheduled'], to: 'starting' },
  // Somebody who is let in without us begins it as well: the platform says so.
  { on: 'go_live', from: ['scheduled', 'starting'], to: 'live' },
  { on: 'fail_start', from: ['starting'], to: 'start_failed' },
  { on: 'cancel', from: ['scheduled', 'starting'], to: 'canceled' },
  { on: 'miss', from: ['scheduled', 'starting'], to: 'no_show' },
  { on: 'end', from: ['live'], to: 'ended' },
  { on: 'report', from: ['ended'], to: 'reported' },
];

/** The state a move leads to, or null where the move is illegal. */
export function nextMeetingState(from: MeetingState, on: MeetingMove): MeetingState | null {
  return meetingTransitions.find((row) => row.on === on && row.from.includes(from))?.to ?? null;
}

const over: readonly MeetingState[] = ['ended', 'reported', 'start_failed', 'canceled', 'no_show'];

/** Whether nothing happens in it any more; a report of it may still be made. */
export function isMeetingOver(state: MeetingState): boolean {
  return over.includes(state);
}
