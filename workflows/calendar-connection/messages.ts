import { defineSignal } from '@temporalio/workflow';
import type { CalendarConnectionState } from './state.ts';

/** What a connection is followed with: an id, enums and times only. */
export interface CalendarConnectionInput {
  readonly connection_id: string;
  /** How long after one refresh the next is made. An input, so that tests can wait. */
  readonly refreshMs: number;
  /** After so many steps it goes on as a new run, so that no history grows without end. */
  readonly stepsMax: number;
  /** How an earlier run has left it. */
  readonly known?: CalendarConnectionSnapshot;
}

/** A connection as its workflow knows it, from what is on record. */
export interface CalendarConnectionSnapshot {
  readonly status: CalendarConnectionState;
  readonly version: number;
}

/** What is on record has changed: it was connected, or connected anew. */
export const changedSignal = defineSignal('changed');
/** Somebody wants it to end. */
export const disconnectSignal = defineSignal('disconnect');

export const calendarConnectionWorkflowId = (connectionId: string): string =>
  `calendar/${connectionId}`;
