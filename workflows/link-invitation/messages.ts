import { defineSignal } from '@temporalio/workflow';
import type { ReportedState } from './state.ts';

export interface LinkInvitationInput {
  readonly link_uuid: string;
  /** How long the provider's word on the delivery is waited for. */
  readonly deliveryWaitMs: number;
}

/** What the mail provider said about the message later on. */
export interface DeliveryReport {
  readonly status: ReportedState;
  readonly event_id: string;
}

export const deliverySignal = defineSignal<[DeliveryReport]>('delivery');

/** The id of the workflow that mails a link. */
export const linkInvitationWorkflowId = (linkUuid: string): string => `link-invite/${linkUuid}`;
