import type { Logger } from 'pino';
import type { Db } from '../../../db/client.ts';
import type { RecallInput, RecallStep } from '../../../workflows/device-recall/messages.ts';
import type { ReceiptInput, ReceiptStep } from '../../../workflows/device-receipt/messages.ts';
import type { RefreshedKeyStatus } from '../../../workflows/key-status-refresh/messages.ts';
import type { MasterSecrets } from '../../keys/directory/master-secrets.ts';
import type { PublishedLists } from '../../vendors/published-lists.ts';
import { copyOf } from './google/revocation-list-cache.ts';
import type { RevocationList } from './google/revocation-list.ts';
import { revokeListed } from './google/revoke-listed.ts';

export interface KeyStatusActivities {
  refreshKeyStatus(): Promise<RefreshedKeyStatus>;
}

export interface ReceiptActivities {
  /** Implemented by `createReceiptActivities`. */
  renewReceipt(input: ReceiptInput): Promise<ReceiptStep>;
}

export interface RecallActivities {
  /** Implemented by `createRecallActivities`. */
  readBits(input: RecallInput): Promise<RecallStep>;
  writeBits(input: RecallInput): Promise<RecallStep>;
  endRecall(input: RecallInput): Promise<void>;
}

export interface KeyStatusDeps {
  readonly db: Db;
  /** Fetches the list from its publisher, or returns it from the cache while HTTP allows. */
  readonly publisher: RevocationList;
  readonly url: string;
  readonly lists: PublishedLists;
  /** Signs the stored list. */
  readonly keys: Pick<MasterSecrets, 'secret'>;
  readonly clock: () => Date;
  readonly log: Pick<Logger, 'warn'>;
}

/** An older list means that the publisher has not answered for long. */
const ageMsUsual = 24 * 3600_000;

/**
 * Fetches Google's revocation list of Android attestation keys, stores it for all processes, and
 * revokes the devices enrolled with a listed key.
 * @throws Failure `dependency_unavailable` without a usable list
 */
export function createKeyStatusActivities(deps: KeyStatusDeps): KeyStatusActivities {
  const { db, publisher, url, lists, keys, clock, log } = deps;
  return {
    async refreshKeyStatus() {
      const held = await publisher.current();
      const ageMs = clock().getTime() - held.confirmedAt.getTime();
      if (ageMs > ageMsUsual) log.warn({ age_ms: ageMs }, 'the revocation list is an old one');
      await lists.keep(url, copyOf(held, keys.secret('key-status')));
      return {
        listed: held.list.entries.size,
        revoked: await revokeListed(db, held.list, clock()),
      };
    },
  };
}
