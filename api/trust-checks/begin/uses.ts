import { lockedTransaction, type Tx } from '../../../db/client.ts';
import { findLink, lockLink, type LinkRow } from '../../../db/queries/links.ts';
import {
  countOpen,
  holdUse,
  lockTrustCheck,
  type TrustCheckRow,
} from '../../../db/queries/trust-checks.ts';
import { Failure } from '../../../workflows/failures.ts';
import type { Deps } from '../../deps.ts';

/** How many sessions of one link may be open at the same time. */
const openSessionsMax = 5_000;
/**
 * How many of them anonymous callers may begin from one network: a flood from there leaves room for
 * everybody else. Enough for the people behind the address of one office.
 */
const openSessionsOfNetworkMax = 200;
/** When a refused begin may come again: an open page that is left ends by itself in 30 minutes. */
const retryAfterSeconds = 60;

/**
 * How long a session that nobody opens holds one of the uses of its link, from its begin on. A page
 * opens its session within seconds. A begin that nobody opens must not hold a use for days.
 */
const unopenedHoldMs = 30 * 60_000;

const heldSince = (now: Date): Date => new Date(now.getTime() - unopenedHoldMs);

/**
 * Refuses one more session of a reusable link. Called under the lock of the link.
 * @param network of an anonymous caller; null for a caller who is known
 * @throws `link_not_active` when every use of the link is used up or held, `rate_limited` when the
 *   network has as many open sessions of the link as it may, `session_limit` when the link has
 */
export async function checkRoom(
  tx: Tx,
  link: LinkRow,
  network: string | null,
  now: Date,
): Promise<void> {
  if (link.single_use) return;
  const since = heldSince(now);
  const { open, of_network, held } = await countOpen(tx, link.link_uuid, network, since);
  assertUsesLeft(link, held);
  if (of_network >= openSessionsOfNetworkMax) {
    const detail = 'Too many checks of this link are open from your network';
    throw new Failure('rate_limited', { detail, retryAfterSeconds });
  }
  if (open >= openSessionsMax) throw new Failure('session_limit', { retryAfterSeconds });
}

function assertUsesLeft({ use_count, max_uses }: LinkRow, held: number): void {
  if (max_uses === null || use_count + held < max_uses) return;
  throw new Failure('link_not_active', { detail: 'Every use of the link is taken' });
}

/**
 * Holds a use of its link, until the end of the session, for a session that is about to be opened.
 * One that was begun lately holds its use already; one that nobody opened for long takes another.
 * @throws `link_not_active` when none is left
 */
export async function holdUseOf(
  deps: Pick<Deps, 'db'>,
  { link_session_id, link_uuid }: TrustCheckRow,
  now: Date,
): Promise<void> {
  const known = await findLink(deps.db, link_uuid);
  if (!known || known.single_use || known.max_uses === null) return;
  // The session before its link, as its end locks them.
  const lock = (tx: Tx) => lockTrustCheck(tx, link_session_id);
  await lockedTransaction(deps.db, lock, async (tx, session) => {
    if (session?.status !== 'created' || session.holds_use) return;
    const link = await lockLink(tx, link_uuid);
    if (!link) return;
    const since = heldSince(now);
    if (session.created_at <= since) {
      assertUsesLeft(link, (await countOpen(tx, link_uuid, null, since)).held);
    }
    await holdUse(tx, link_session_id);
  });
}
