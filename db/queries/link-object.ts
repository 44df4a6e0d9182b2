import type { links } from '../schema/links.ts';

const iso = (at: Date | null): string | null => at?.toISOString() ?? null;

/**
 * Returns a link as the event log stores it, without its recipient. The reference stays sealed;
 * `eventObject` and `presentLink` open it.
 */
export function linkObject(link: typeof links.$inferSelect) {
  return {
    link_uuid: link.link_uuid,
    app_id: link.app_id,
    account_id: link.account_id,
    link_type: link.link_type,
    status: link.status,
    single_use: link.single_use,
    use_count: link.use_count,
    max_uses: link.max_uses,
    required_proofs: link.required_proofs,
    requested_claims: link.requested_claims,
    created_by: link.created_by,
    created_at: link.created_at.toISOString(),
    updated_at: link.updated_at.toISOString(),
    expires_at: iso(link.expires_at),
    last_used_at: iso(link.last_used_at),
    reference_id: null,
    job_id: link.job_id,
  };
}
