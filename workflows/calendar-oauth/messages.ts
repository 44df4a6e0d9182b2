import { defineUpdate } from '@temporalio/workflow';
import type { CalendarDenial, CalendarFlowState } from './state.ts';

/** What a flow is followed with: who connects what lies in the store. */
export interface CalendarOAuthInput {
  readonly flow_id: string;
  /** How long consent is waited for. An input, so that tests can wait. */
  readonly windowMs: number;
}

/** What the browser has come back with; a code lies sealed in the store. */
export type CompleteArgs =
  | { readonly answer: 'code' | 'nonce_mismatch' }
  | { readonly answer: 'denied'; readonly reason: CalendarDenial };

/** How a flow stands, or has ended. */
export interface CalendarFlowOutcome {
  readonly status: CalendarFlowState;
  readonly reason: CalendarDenial | null;
}

export const completeUpdate = defineUpdate<CalendarFlowOutcome, [CompleteArgs]>('complete');

export const calendarOAuthWorkflowId = (flowId: string): string => `cal-oauth/${flowId}`;
