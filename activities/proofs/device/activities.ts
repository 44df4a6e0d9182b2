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
  /** Made by `createReceiptActivities`. */
  renewReceipt(input: ReceiptInput): Promise<ReceiptStep>;
}

export interface RecallActivities {
  /** Made by `createRecallActivities`. */
  readBits(input: RecallInput): Promise<RecallStep>;
  writeBits(input: RecallInput): Promise<RecallStep>;
  endRecall(input: RecallInput): Promise<void>;
}

export interface KeyStatusDeps {
  readonly db: Db;
  /** Whoever publishes it is asked, as long as caches allow. */
  readonly publisher: RevocationList;
  readonly url: string;
  readonly lists: PublishedLists;
  /** Signs what is kept. */
  readonly keys: Pick<MasterSecrets, 'secret'>;
  readonly clock: () => Date;
  readonly log: Pick<Logger, 'warn'>;
}

/** Older than a day says that its publisher has not answered for long. */
const ageMsUsual = 24 * 3600_000;

/**
 * Fetches what Google has revoked of the keys Android phones attest with, keeps it for all
 * processes, and revokes the phones enrolled by such keys. Throws `dependency_unavailable`
 * without a list that can be used.
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
