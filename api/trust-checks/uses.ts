import { lockedTransaction, type Tx } from '../../db/client.ts';
import { lockLink, type LinkRow } from '../../db/queries/links.ts';
import {
  countHeldUses,
  holdUse,
  lockTrustCheck,
  type TrustCheckRow,
} from '../../db/queries/trust-checks.ts';
import { Failure } from '../../workflows/failures.ts';
import type { Deps } from '../deps.ts';

/**
 * Throws `link_not_active` when every use of a reusable link is used up or held. Called under the
 * link's lock, so that no two take the same one.
 */
export async function checkUses(tx: Tx, link: LinkRow): Promise<void> {
  if (link.single_use || link.max_uses === null) return;
  if (link.use_count + (await countHeldUses(tx, link.link_uuid)) >= link.max_uses) {
    throw new Failure('link_not_active', { detail: 'Every use of the link is taken' });
  }
}

/**
 * Holds one of the uses of its link for a session that is about to be paired, once, until it ends:
 * before the workflow hears of it, so that no more are ever paired than may be. A pairing that is
 * refused after this, or not answered, keeps the use for another try. Throws `link_not_active`, and
 * `invalid_state` where nobody has opened the session.
 */
export async function takeUse(
  deps: Pick<Deps, 'db'>,
  { link_session_id }: TrustCheckRow,
): Promise<void> {
  // The session before its link, as its end locks them.
  const lock = (tx: Tx) => lockTrustCheck(tx, link_session_id);
  await lockedTransaction(deps.db, lock, async (tx, session) => {
    // One that was never opened would hold its use for days.
    if (session?.status === 'created') {
      throw new Failure('invalid_state', { detail: 'The check is created' });
    }
    if (session?.status !== 'opened' || session.holds_use) return;
    const link = await lockLink(tx, session.link_uuid);
    if (!link || link.single_use || link.max_uses === null) return;
    await checkUses(tx, link);
    await holdUse(tx, link_session_id);
  });
}
