import { defineSignal } from '@temporalio/workflow';
import type { CalendarConnectionState } from './state.ts';

/** Input of the workflow of a connection: an id, enums and times only. */
export interface CalendarConnectionInput {
  readonly connection_id: string;
  /** Milliseconds between two refreshes. An input, so that tests can use a short wait. */
  readonly refreshMs: number;
  /** Steps after which the workflow continues as a new run. It bounds the size of the history. */
  readonly stepsMax: number;
  /** State carried over from the previous run. */
  readonly known?: CalendarConnectionSnapshot;
}

/** The connection as last read from the database. */
export interface CalendarConnectionSnapshot {
  readonly status: CalendarConnectionState;
  readonly version: number;
}

/** The database row changed: the calendar was connected or reconnected. */
export const changedSignal = defineSignal('changed');
/** Requests the end of the connection. */
export const disconnectSignal = defineSignal('disconnect');

export const calendarConnectionWorkflowId = (connectionId: string): string =>
  `calendar/${connectionId}`;
