import { defineUpdate } from '@temporalio/workflow';
import type { CalendarDenial, CalendarFlowState } from './state.ts';

/** Input of a flow. The database holds who connects which calendar. */
export interface CalendarOAuthInput {
  readonly flow_id: string;
  /** Milliseconds to wait for consent. An input, so that tests can use a short wait. */
  readonly windowMs: number;
}

/** Result that the browser returned with. An authorization code is sealed in the database. */
export type CompleteArgs =
  | { readonly answer: 'code' | 'nonce_mismatch' }
  | { readonly answer: 'denied'; readonly reason: CalendarDenial };

/** Current or final state of a flow. */
export interface CalendarFlowOutcome {
  readonly status: CalendarFlowState;
  readonly reason: CalendarDenial | null;
}

export const completeUpdate = defineUpdate<CalendarFlowOutcome, [CompleteArgs]>('complete');

export const calendarOAuthWorkflowId = (flowId: string): string => `cal-oauth/${flowId}`;
