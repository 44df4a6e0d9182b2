import type { Logger } from 'pino';
import type { Db } from '../../db/client.ts';
import type { Ids } from '../../db/ids.ts';
import type { Sealer } from '../../db/sealing/sealed.ts';
import type { NoteKey } from '../../domain/transparency/note.ts';
import type { AffidavitFault } from '../../workflows/affidavit-faults.ts';
import type { RenewalPlace, RenewalStep } from '../../workflows/archive-renewal/messages.ts';
import type { IssuedAffidavit } from '../../workflows/issue-affidavit/messages.ts';
import type { PlatformKeys } from '../keys/directory/load-keys.ts';
import type { Stamps } from '../keys/timestamps/stamps.ts';
import { throwIfCanceled } from '../runtime/cancellation.ts';
import type { ObjectStore } from '../storage/object-store.ts';
import { failAffidavit } from './fail.ts';
import { faultOf } from './fault.ts';
import { issueAffidavit } from './issue.ts';
import type { Operator } from './operator.ts';
import type { renderAffidavit } from './render.ts';
import type { verifyAffidavit } from './verify.ts';

export interface AffidavitActivities {
  issueAffidavit(input: { affidavit_id: string }): Promise<IssuedAffidavit>;
  failAffidavit(input: { affidavit_id: string; reason: AffidavitFault }): Promise<void>;
}

export type RenewalDeps = Pick<
  AffidavitDeps,
  'db' | 'store' | 'keys' | 'stamps' | 'heavy' | 'clock' | 'log'
>;

export interface RenewalActivities {
  renewDueArchives(input: { readonly after: RenewalPlace }): Promise<RenewalStep>;
}

export interface AffidavitDeps {
  readonly db: Db;
  readonly ids: Ids;
  readonly sealer: Sealer;
  readonly store: ObjectStore;
  readonly keys: PlatformKeys;
  /** Who stamps seals, and whole files. */
  readonly stamps: Stamps;
  readonly heavy: {
    readonly renderAffidavit: typeof renderAffidavit;
    readonly verifyAffidavit: typeof verifyAffidavit;
  };
  readonly clock: () => Date;
  readonly baseUrl: string;
  /** What an affidavit says about the platform. */
  readonly platform: {
    /** Who runs the service; null only for development. */
    readonly operator: Operator | null;
    /** What verifies the public log that affidavits are entered in. */
    readonly logKey: NoteKey;
    /** Whether simulated phones or passports are accepted here. */
    readonly hasDevelopmentRoots: boolean;
  };
  readonly log: Pick<Logger, 'warn' | 'error'>;
  /** Counts what was given up, by its reason. */
  readonly countFailure: (reason: AffidavitFault) => void;
}

/**
 * Renders, seals and stores an affidavit, or notes that this cannot be done; every step can be
 * repeated. Issuing throws `affidavit_invalid` and `affidavit_unmakeable` for faults that waiting
 * does not mend, `gone` for a redacted check, anything else while a store is away.
 */
export function createAffidavitActivities(deps: AffidavitDeps): AffidavitActivities {
  return {
    async issueAffidavit({ affidavit_id }) {
      try {
        return await issueAffidavit(deps, affidavit_id);
      } catch (error) {
        throwIfCanceled();
        const fault = faultOf(error);
        deps.log.warn({ affidavit_id, err: fault }, 'an affidavit could not be issued');
        throw fault;
      }
    },
    failAffidavit: ({ affidavit_id, reason }) => failAffidavit(deps, affidavit_id, reason),
  };
}
