import { defineUpdate } from '@temporalio/workflow';

/** What an address is followed with: counts only, the address is a keyed digest in the id. */
export interface EmailFlowInput {
  /** How long requests for the address are one window. */
  readonly windowMs: number;
  /** How many mails the window allows; what is asked for besides is dropped without a word. */
  readonly sendsMax: number;
}

export interface EmailRequestArgs {
  /** Where the request lies in the store. */
  readonly request_id: string;
}

export const requestUpdate = defineUpdate<{ is_taken: boolean }, [EmailRequestArgs]>('request');
export const consumeUpdate = defineUpdate<{ is_consumed: true }, [EmailRequestArgs]>('consume');

/** Of keyed digests in hex, by which nobody finds an address, or the network that asks. */
export const emailLoginWorkflowId = (addressDigest: string, networkDigest: string | null): string =>
  `email-login/${addressDigest}${networkDigest === null ? '' : `/${networkDigest}`}`;
export const emailAttachWorkflowId = (polyUserId: string, addressDigest: string): string =>
  `email-attach/${polyUserId}/${addressDigest}`;
