import { expect, it } from 'vitest';
import {
  isMeetingOver,
  meetingMoves,
  meetingStates,
  nextMeetingState,
} from '../../../workflows/meeting/state.ts';

it('a meeting has exactly the designed transitions', () => {
  const moves = meetingStates.flatMap((from) =>
    meetingMoves.flatMap((on) => {
      const to = nextMeetingState(from, on);
      return to ? [`${from} ${on} ${to}`] : [];
    }),
  );
  expect(moves).toEqual([
    'scheduled start starting',
    'scheduled go_live live',
    'scheduled cancel canceled',
    'scheduled miss no_show',
    'starting go_live live',
    'starting fail_start start_failed',
    'starting cancel canceled',
    'starting miss no_show',
    'live end ended',
    'ended report reported',
  ]);
});

it('a meeting that is over can only move on to its report', () => {
  const over = meetingStates.filter(isMeetingOver);
  expect(over).toEqual(['ended', 'reported', 'start_failed', 'canceled', 'no_show']);
  for (const from of over) {
    const moves = meetingMoves.filter((on) => nextMeetingState(from, on));
    expect(moves).toEqual(from === 'ended' ? ['report'] : []);
  }
});
