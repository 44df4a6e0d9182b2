import { defineSignal } from '@temporalio/workflow';
import type { ReportedState } from './state.ts';

export interface LinkInvitationInput {
  readonly link_uuid: string;
  /** Milliseconds to wait for delivery reports of the provider. */
  readonly deliveryWaitMs: number;
}

/** A later report of the mail provider on the message. */
export interface DeliveryReport {
  readonly status: ReportedState;
  readonly event_id: string;
}

export const deliverySignal = defineSignal<[DeliveryReport]>('delivery');

/** Returns the id of the workflow that mails a link. */
export const linkInvitationWorkflowId = (linkUuid: string): string => `link-invite/${linkUuid}`;
