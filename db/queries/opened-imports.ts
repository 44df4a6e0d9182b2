import { firstOf, statement, type Queryable } from '../client.ts';

const sweptMax = 20;
const insert = statement(
  'opened_imports.note',
  `WITH swept AS (
     DELETE FROM opened_imports o USING (
       SELECT address_blind, platform, link_uuid FROM opened_imports WHERE expires_at <= :now
       ORDER BY expires_at LIMIT ${sweptMax} FOR UPDATE SKIP LOCKED) old
     WHERE (o.address_blind, o.platform, o.link_uuid)
       = (old.address_blind, old.platform, old.link_uuid)
       AND (o.address_blind, o.platform, o.link_uuid) <> (:addressBlind, :platform, :linkUuid))
   INSERT INTO opened_imports (address_blind, platform, link_uuid, opened_at, expires_at)
   VALUES (:addressBlind, :platform, :linkUuid, :now, :expiresAt)
   ON CONFLICT (address_blind, platform, link_uuid)
   DO UPDATE SET opened_at = excluded.opened_at, expires_at = excluded.expires_at`,
);
/**
 * Concurrent callers lock different rows: a locked row is already being handed to another caller.
 */
const take = statement<{ link_uuid: string }>(
  'opened_imports.take',
  `DELETE FROM opened_imports WHERE (address_blind, platform, link_uuid) IN (
     SELECT o.address_blind, o.platform, o.link_uuid
     FROM opened_imports o JOIN links l USING (link_uuid) JOIN apps p USING (app_id)
     WHERE o.address_blind = :addressBlind AND o.platform = :platform AND o.expires_at > :now
       AND l.status IN ('scheduled', 'active', 'reserved') AND p.status = 'active'
       AND (l.not_before IS NULL OR l.not_before <= :now)
       AND (l.expires_at IS NULL OR l.expires_at > :now)
     ORDER BY o.opened_at DESC LIMIT 1 FOR UPDATE OF o SKIP LOCKED)
   RETURNING link_uuid`,
);

/** A phone as far as it is known: a digest of its IP address, and the platform. */
export interface Phone {
  readonly addressBlind: Buffer;
  readonly platform: string;
}

/** Records that a phone opened an import link, and deletes a few that were never fetched. */
export async function noteOpened(
  on: Queryable,
  { addressBlind, platform }: Phone,
  linkUuid: string,
  times: { readonly now: Date; readonly expiresAt: Date },
): Promise<void> {
  await insert(on, {
    addressBlind,
    platform,
    linkUuid,
    now: times.now,
    expiresAt: times.expiresAt,
  });
}

/**
 * Returns and deletes the import link that was last opened on such a phone and is still usable, or
 * null. Only one of several concurrent callers gets it.
 */
export async function takeOpened(
  on: Queryable,
  { addressBlind, platform }: Phone,
  now: Date,
): Promise<string | null> {
  return firstOf(await take(on, { addressBlind, platform, now }))?.link_uuid ?? null;
}
