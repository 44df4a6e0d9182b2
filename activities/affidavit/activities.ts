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
  /** Time stamps for seals and for whole files. */
  readonly stamps: Stamps;
  readonly heavy: {
    readonly renderAffidavit: typeof renderAffidavit;
    readonly verifyAffidavit: typeof verifyAffidavit;
  };
  readonly clock: () => Date;
  readonly baseUrl: string;
  /** What an affidavit states about the platform. */
  readonly platform: {
    /** The organization that runs the service; null only in development. */
    readonly operator: Operator | null;
    /** Key that verifies the public log with the affidavits. */
    readonly logKey: NoteKey;
    /** Whether simulated phones or passports are accepted. */
    readonly hasDevelopmentRoots: boolean;
  };
  readonly log: Pick<Logger, 'warn' | 'error'>;
  /** Counts affidavits that were given up, by reason. */
  readonly countFailure: (reason: AffidavitFault) => void;
}

/**
 * Renders, seals and stores an affidavit, or records that this failed. Every step can be repeated.
 * @throws Failure `affidavit_invalid` and `affidavit_unmakeable` for permanent faults, `gone` for a
 * redacted check, any other error while a dependency is unavailable
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
