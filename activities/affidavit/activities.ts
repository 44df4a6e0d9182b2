import type { Db } from '../../db/client.ts';
import type { Ids } from '../../db/ids.ts';
import type { Sealer } from '../../db/sealed.ts';
import type { IssuedAffidavit } from '../../workflows/issue-affidavit/messages.ts';
import type { PlatformKeys } from '../certificates/load-keys.ts';
import type { ObjectStore } from '../storage/object-store.ts';
import { issueAffidavit } from './issue.ts';

export interface AffidavitActivities {
  issueAffidavit(input: { affidavit_id: string }): Promise<IssuedAffidavit>;
}

export interface AffidavitDeps {
  readonly db: Db;
  readonly ids: Ids;
  readonly sealer: Sealer;
  readonly store: ObjectStore;
  readonly keys: PlatformKeys;
  readonly clock: () => Date;
  readonly baseUrl: string;
}

/** Renders, seals and stores an affidavit; every step can be repeated. */
export function createAffidavitActivities(deps: AffidavitDeps): AffidavitActivities {
  return { issueAffidavit: ({ affidavit_id }) => issueAffidavit(deps, affidavit_id) };
}
