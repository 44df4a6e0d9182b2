import { defineUpdate } from '@temporalio/workflow';

/** Input of the workflow of an address: limits only. The id holds a keyed digest of the address. */
export interface EmailFlowInput {
  /** Milliseconds in which the requests for an address form one window. */
  readonly windowMs: number;
  /** Mails per window. Further requests are dropped silently. */
  readonly sendsMax: number;
}

export interface EmailRequestArgs {
  /** Id of the request in the database. */
  readonly request_id: string;
}

export const requestUpdate = defineUpdate<{ is_taken: boolean }, [EmailRequestArgs]>('request');
export const consumeUpdate = defineUpdate<{ is_consumed: true }, [EmailRequestArgs]>('consume');

/**
 * Digests are keyed and in hex, so the id does not reveal the address or the network of the
 * requester.
 */
export const emailLoginWorkflowId = (addressDigest: string, networkDigest: string | null): string =>
  `email-login/${addressDigest}${networkDigest === null ? '' : `/${networkDigest}`}`;
export const emailAttachWorkflowId = (polyUserId: string, addressDigest: string): string =>
  `email-attach/${polyUserId}/${addressDigest}`;
