import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Logger } from 'pino';
import { z } from 'zod';
import { readStatusList } from '../../../../domain/proofs/device/android/status-list.ts';
import type { MasterSecrets } from '../../../keys/directory/master-secrets.ts';
import { singleFlight } from '../../../runtime/single-flight.ts';
import { providerDown } from '../../../vendors/provider.ts';
import type { PublishedLists } from '../../../vendors/published-lists.ts';
import type { StatusListCopy, RevocationList } from './revocation-list.ts';

export interface RevocationListCacheOptions {
  /** Store of the list that the schedule fetched, under `url`. */
  readonly lists: PublishedLists;
  readonly url: string;
  /** Verifies the stored list. */
  readonly keys: Pick<MasterSecrets, 'acceptedSecrets'>;
  /** Used while no usable list from the last day is stored. */
  readonly publisher: RevocationList;
  readonly clock: () => Date;
  /** Maximum age of a list: without a newer one, no device is judged. */
  readonly ageMaxMs: number;
  readonly log: Pick<Logger, 'warn'>;
}

/** Age after which the publisher is asked. The schedule runs hourly, so it must be failing. */
const cacheAgeMsMax = 24 * 3600_000;
const rereadMs = 10 * 60_000;
/** Wait after a fault: while there is a usable list, and while there is none. */
const retryMs = { usable: 60_000, none: 5_000 };

/** A cached list with its age. */
export interface CachedRevocationList extends RevocationList {
  /**
   * Returns the time since the publisher confirmed the cached list, without waiting. Starts a
   * reread when it is due. Infinite where there is none, null before the first read.
   */
  readonly ageMs: () => number | null;
}

const head = z.object({
  confirmed_at: z.iso.datetime(),
  sha256: z.string(),
  mac: z.hex().length(64),
});

/** Encodes a list for the store: a signed header line, and the published JSON. */
export function copyOf(
  { confirmedAt, sha256, json }: StatusListCopy,
  secret: Uint8Array,
): Uint8Array {
  const [confirmed_at, body] = [confirmedAt.toISOString(), JSON.stringify(json)];
  const mac = macOf(secret, { confirmed_at, sha256 }, body).toString('hex');
  const about: z.input<typeof head> = { confirmed_at, sha256, mac };
  return Buffer.from(`${JSON.stringify(about)}\n${body}`);
}

/** Without the MAC, write access to the object store would be enough to hide revocations. */
const macOf = (
  secret: Uint8Array,
  about: Pick<z.output<typeof head>, 'confirmed_at' | 'sha256'>,
  body: string,
): Buffer =>
  createHmac('sha256', secret).update([about.confirmed_at, about.sha256, body].join('\n')).digest();

/**
 * Caches the revocation list that the schedule fetched. It rereads the list every ten minutes in
 * the background, so that no request waits for it. If there is no list from the last day, it asks
 * the publisher. An older list never replaces a newer one. Without a list of at most `ageMaxMs`, no
 * device is judged.
 */
export function createRevocationListCache(
  options: RevocationListCacheOptions,
): CachedRevocationList {
  const { clock, ageMaxMs, log } = options;
  let held: StatusListCopy | null = null;
  let [readAtMs, restMs] = [0, 0];
  const isUsable = (list: StatusListCopy | null): boolean => {
    const ageMs = clock().getTime() - (list?.confirmedAt.getTime() ?? Infinity);
    return ageMs >= 0 && ageMs <= ageMaxMs;
  };
  const reread = singleFlight(async () => {
    try {
      const copy = await readCopy(options, held);
      held = newest([held, copy].filter(isUsable));
      const ageMs = clock().getTime() - (held?.confirmedAt.getTime() ?? -Infinity);
      if (held && ageMs > cacheAgeMsMax) log.warn({ age_ms: ageMs }, oldWords);
      if (ageMs > cacheAgeMsMax) held = newest([held, await options.publisher.current()]);
      restMs = rereadMs;
    } catch (err) {
      log.warn({ err }, 'the revocation list of Android keys cannot be read anew');
      restMs = isUsable(held) ? retryMs.usable : retryMs.none;
    } finally {
      readAtMs = clock().getTime();
    }
  });
  const readIfDue = (): Promise<void> | null => {
    const sinceMs = clock().getTime() - readAtMs;
    return sinceMs < 0 || sinceMs >= restMs ? reread() : null;
  };
  return {
    ageMs() {
      void readIfDue();
      if (readAtMs === 0) return null;
      return held ? clock().getTime() - held.confirmedAt.getTime() : Infinity;
    },
    async current() {
      const reading = readIfDue();
      if (!isUsable(held)) await reading;
      if (held && isUsable(held)) return held;
      throw providerDown('android revocation list', undefined);
    },
  };
}

const oldWords = 'the kept revocation list of Android keys is older than a day';

/** Returns the list that was confirmed last, on a tie the latter; null where there is none. */
const newest = (lists: readonly (StatusListCopy | null)[]): StatusListCopy | null =>
  lists.reduce((a, b) => (a && (!b || a.confirmedAt > b.confirmedAt) ? a : b), null);

/** Reads the stored list; null if it is invalid. Bytes with the same hash are not parsed again. */
async function readCopy(
  { lists, url, keys, log, clock }: RevocationListCacheOptions,
  held: StatusListCopy | null,
): Promise<StatusListCopy | null> {
  try {
    const bytes = await lists.of(url);
    if (!bytes) return null;
    const text = Buffer.from(bytes).toString('utf8');
    const end = text.indexOf('\n');
    const { mac, ...about } = head.parse(JSON.parse(text.slice(0, end)));
    const { confirmed_at, sha256 } = about;
    const given = Buffer.from(mac, 'hex');
    const isOurs = keys
      .acceptedSecrets('key-status', clock())
      .some((secret) => timingSafeEqual(macOf(secret, about, text.slice(end + 1)), given));
    if (!isOurs) throw new Error('signed by another');
    const confirmedAt = new Date(confirmed_at);
    if (held?.sha256 === sha256) return { ...held, confirmedAt };
    const json: unknown = JSON.parse(text.slice(end + 1));
    return { list: readStatusList(json), json, sha256, confirmedAt };
  } catch (err) {
    log.warn({ err }, 'the kept revocation list of Android keys cannot be used');
    return null;
  }
}
