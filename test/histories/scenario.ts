import type { Client } from '@temporalio/client';
import type { PlatformKeys } from '../../activities/keys/directory/load-keys.ts';
import type { Db } from '../../db/client.ts';
import type { DevTrust } from '../../simulator/roots/dev-trust.ts';
import type { Call } from '../../simulator/session/client.ts';
import type { PlatformFacts } from '../support/platform/harness.ts';

/** What a scenario is played on: a platform of its own, under the master secret of recordings. */
export interface Stage {
  readonly facts: PlatformFacts;
  readonly call: Call;
  readonly client: Client;
  readonly db: Db;
  readonly keys: PlatformKeys;
  readonly trust: DevTrust;
  /** Where the calendar provider is. */
  readonly calendarUrl: string;
}

/** A path through a workflow, whose history is kept as `<type>/<scenario>.json`. */
export interface Scenario {
  readonly type:
    | 'trustCheck'
    | 'issueAffidavit'
    | 'archiveRenewal'
    | 'webhookDelivery'
    | 'linkInvitation'
    | 'memberInvitation'
    | 'emailLogin'
    | 'emailAttach'
    | 'prescreenRollup'
    | 'trustListRefresh'
    | 'keyStatusRefresh'
    | 'deviceReceipt'
    | 'deviceRecall'
    | 'retention'
    | 'meeting'
    | 'meetingReport'
    | 'calendarOAuth'
    | 'calendarConnection'
    | 'signing'
    | 'logoFetch';
  readonly scenario: string;
  /** Plays it, and gives the id of the workflow that went the path. */
  readonly play: (stage: Stage) => Promise<string>;
  /** What the workflow gives at its end, as far as it is always the same; or its failure’s type. */
  readonly ends: Readonly<Record<string, unknown>>;
}

/** A link of the recording's account. */
export async function newLink(
  { facts, call }: Stage,
  body: Record<string, unknown> = {},
): Promise<{ url: string; link_uuid: string }> {
  return call('PUT', `/v2/${facts.own.app_id}`, {
    token: facts.own.api_key,
    body: { title: 'recorded', required_proofs: ['phone'], ...body },
  });
}

export const pause = (ms: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, ms));
