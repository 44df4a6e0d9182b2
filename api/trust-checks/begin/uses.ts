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

/** Maximum of open sessions of one link. */
const openSessionsMax = 5_000;
/**
 * Maximum of open sessions of one link that anonymous callers of one network may begin. It is
 * enough for one office, and a flood from one network leaves room for others.
 */
const openSessionsOfNetworkMax = 200;
/** Retry-After of a refused begin. An abandoned open page ends by itself in 30 minutes. */
const retryAfterSeconds = 60;

/**
 * How long an unopened session holds a use of its link, from its begin. A page opens its session
 * within seconds. Without this limit a begin without a page would hold a use for days.
 */
const unopenedHoldMs = 30 * 60_000;

const heldSince = (now: Date): Date => new Date(now.getTime() - unopenedHoldMs);

/**
 * Checks that a reusable link has room for one more session. The caller holds the lock of the link.
 * @param network of an anonymous caller; null for an authenticated one
 * @throws Failure `link_not_active` when all uses are consumed or held, `rate_limited` when the
 *   network has its maximum of open sessions, `session_limit` when the link has
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
 * Holds a use of the link until the session ends, for a session that is about to be opened. A
 * recent session holds its use already. An older unopened one needs a free use.
 * @throws Failure `link_not_active` when no use is left
 */
export async function holdUseOf(
  deps: Pick<Deps, 'db'>,
  { link_session_id, link_uuid }: TrustCheckRow,
  now: Date,
): Promise<void> {
  const known = await findLink(deps.db, link_uuid);
  if (!known || known.single_use || known.max_uses === null) return;
  // Locks the session before its link, in the same order as the end of a session.
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
