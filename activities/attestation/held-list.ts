import type { Logger } from 'pino';
import { z } from 'zod';
import { askOnce } from '../ask-once.ts';
import type { PublishedLists } from '../passport/published-lists.ts';
import { providerDown } from '../provider.ts';
import type { HeldStatusList, RevocationList } from './revocation-list.ts';
import { readStatusList } from './status-list.ts';

export interface HeldListOptions {
  /** Where the schedule keeps what it has fetched, under this address. */
  readonly lists: PublishedLists;
  readonly url: string;
  /** Asked while the schedule has kept nothing that can be used. */
  readonly publisher: RevocationList;
  readonly clock: () => Date;
  /** A list older than this judges nobody. */
  readonly ageMaxMs: number;
  readonly log: Pick<Logger, 'warn'>;
}

const rereadMs = 10 * 60_000;
/** After a fault: while there is a list to judge by, and while there is none. */
const retryMs = { usable: 60_000, none: 5_000 };

const head = z.object({ confirmed_at: z.iso.datetime(), sha256: z.string() });

/** A list as the schedule keeps it: a line about it, and what was published. */
export function copyOf({ confirmedAt, sha256, json }: HeldStatusList): Uint8Array {
  const about: z.input<typeof head> = { confirmed_at: confirmedAt.toISOString(), sha256 };
  return Buffer.from(`${JSON.stringify(about)}\n${JSON.stringify(json)}`);
}

/**
 * Holds the revocation list that the schedule has fetched: read again every ten minutes, beside
 * whoever asks meanwhile, so that no request waits for it. Only where there is none to judge by is
 * the publisher itself asked, and without a list of at most `ageMaxMs` nobody is judged.
 */
export function holdRevocationList(options: HeldListOptions): RevocationList {
  const { clock, ageMaxMs, log } = options;
  let held: HeldStatusList | null = null;
  let [readAtMs, restMs] = [0, 0];
  const isUsable = (list: HeldStatusList | null): boolean => {
    const ageMs = clock().getTime() - (list?.confirmedAt.getTime() ?? Infinity);
    return ageMs >= 0 && ageMs <= ageMaxMs;
  };
  const reread = askOnce(async () => {
    try {
      const copy = await readCopy(options, held);
      held = isUsable(copy) ? copy : await options.publisher.current();
      restMs = rereadMs;
    } catch (err) {
      log.warn({ err }, 'the revocation list of Android keys cannot be read anew');
      restMs = isUsable(held) ? retryMs.usable : retryMs.none;
    } finally {
      readAtMs = clock().getTime();
    }
  });
  return {
    async current() {
      const sinceMs = clock().getTime() - readAtMs;
      const isDue = sinceMs < 0 || sinceMs >= restMs;
      const reading = isDue ? reread() : null;
      if (!isUsable(held)) await reading;
      if (held && isUsable(held)) return held;
      throw providerDown('android revocation list', undefined);
    },
  };
}

/** What is not as we keep it is no copy; one that is read already is not read again. */
async function readCopy(
  { lists, url, log }: HeldListOptions,
  held: HeldStatusList | null,
): Promise<HeldStatusList | null> {
  try {
    const bytes = await lists.of(url);
    if (!bytes) return null;
    const text = Buffer.from(bytes).toString('utf8');
    const end = text.indexOf('\n');
    const { confirmed_at, sha256 } = head.parse(JSON.parse(text.slice(0, end)));
    const confirmedAt = new Date(confirmed_at);
    if (held?.sha256 === sha256) return { ...held, confirmedAt };
    const json: unknown = JSON.parse(text.slice(end + 1));
    return { list: readStatusList(json), json, sha256, confirmedAt };
  } catch (err) {
    log.warn({ err }, 'the kept revocation list of Android keys cannot be used');
    return null;
  }
}
