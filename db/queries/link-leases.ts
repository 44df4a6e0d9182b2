import { firstOf, statement, type Tx } from '../client.ts';
import type { links } from '../schema/links.ts';
import { linkStream, type NewEvent } from './events.ts';
import { linkObject } from './link-object.ts';
import type { TrustCheckRow } from './trust-checks.ts';

export type LinkRow = typeof links.$inferSelect;

/** Outcomes of a session that consume a single-use link. Other ends free it for another attempt. */
const usesUp = new Set(['passed', 'failed', 'declined']);

/** A link with its status before the change. The event contains both. */
type ChangedRow = LinkRow & { readonly before: LinkRow['status'] };
const asItWas = `WITH was AS (
  SELECT link_uuid, status AS before FROM links WHERE link_uuid = :linkUuid FOR UPDATE)`;

/** A link whose start time has passed is active, although its row may still say `scheduled`. */
const reserve = statement<ChangedRow>(
  'links.reserve',
  `${asItWas}
   UPDATE links SET status = 'reserved', reserved_by = :linkSessionId, version = version + 1,
     updated_at = :now
   FROM was WHERE links.link_uuid = was.link_uuid AND status IN ('active', 'scheduled')
     AND single_use RETURNING links.*, was.before`,
);
const settle = statement<LinkRow>(
  'links.settle_lease',
  `UPDATE links SET
     status = CASE WHEN :isUsed THEN 'consumed' ELSE 'active' END,
     reserved_by = NULL, version = version + 1, updated_at = :now,
     use_count = use_count + CASE WHEN :isUsed THEN 1 ELSE 0 END,
     last_used_at = CASE WHEN :isUsed THEN :now ELSE last_used_at END
   WHERE link_uuid = :link_uuid AND reserved_by = :link_session_id AND status = 'reserved'
     RETURNING *`,
);
const countUse = statement<ChangedRow>(
  'links.count_use',
  `${asItWas}
   UPDATE links SET use_count = use_count + 1, last_used_at = :now, updated_at = :now,
     version = version + 1,
     status = CASE WHEN max_uses IS NOT NULL AND use_count + 1 >= max_uses
                     AND status IN ('active', 'scheduled', 'paused')
                   THEN 'consumed' ELSE status END
   FROM was WHERE links.link_uuid = was.link_uuid AND NOT single_use
   RETURNING links.*, was.before`,
);

/**
 * Leases a single-use link to a session. Returns null if another session has the lease, or if the
 * link is not active.
 */
export async function reserveLink(
  tx: Tx,
  linkUuid: string,
  linkSessionId: string,
  now: Date,
): Promise<{ link: LinkRow; events: NewEvent[] } | null> {
  const link = firstOf(await reserve(tx, { linkUuid, linkSessionId, now }));
  return link && { link, events: [linkEvent(link, 'link.reserved', link.before)] };
}

/**
 * Ends the lease of a finished session. The outcomes passed, failed and declined consume the link;
 * any other end frees it. A reusable link counts the use, and is consumed at its last one.
 */
export async function releaseLink(
  tx: Tx,
  session: Pick<TrustCheckRow, 'link_uuid' | 'link_session_id' | 'status'>,
  now: Date,
): Promise<NewEvent[]> {
  const isUsed = usesUp.has(session.status);
  const settled = firstOf(
    await settle(tx, {
      link_uuid: session.link_uuid,
      link_session_id: session.link_session_id,
      isUsed,
      now,
    }),
  );
  if (settled) {
    return [linkEvent(settled, isUsed ? 'link.consumed' : 'link.updated', 'reserved')];
  }
  if (!isUsed) return [];
  const counted = firstOf(await countUse(tx, { linkUuid: session.link_uuid, now }));
  const isLast = counted?.status === 'consumed' && counted.before !== 'consumed';
  return isLast ? [linkEvent(counted, 'link.consumed', counted.before)] : [];
}

/** Returns an event about a link. */
export function linkEvent(
  link: LinkRow,
  type: Extract<NewEvent['type'], `link.${string}`>,
  previousStatus?: string,
): NewEvent {
  return {
    stream: linkStream(link.link_uuid),
    type,
    account_id: link.account_id,
    app_id: link.app_id,
    livemode: link.livemode,
    object_id: link.link_uuid,
    reference_sealed: link.reference_sealed,
    object: linkObject(link),
    ...(previousStatus === undefined ? {} : { previousStatus }),
  };
}
