import { openLinkValue } from '../../../activities/links/sealed-values.ts';
import { statement } from '../../../db/client.ts';
import { hasRole } from '../../../domain/names.ts';
import type { Deps } from '../../deps.ts';
import { handler } from '../../http/contract.ts';
import { linkContracts } from '../contract.ts';
import { meeting } from '../fields.ts';
import { findLinkOrThrow } from '../find.ts';
import { etagOf, presentLink, presentMeeting } from '../present.ts';

const sessionsMax = 100;
const sessionsOf = statement<{ link_session_id: string; status: string; created_at: Date }>(
  'links.sessions',
  `SELECT link_session_id, status, created_at FROM trust_checks WHERE link_uuid = :link_uuid
   ORDER BY created_at DESC LIMIT :sessionsMax`,
);

/** Returns all of a link. The expected values need the role MEMBER. */
export const raw = handler(linkContracts.raw)(async (
  input,
  deps: Pick<Deps, 'db' | 'sealer' | 'settings'>,
) => {
  const link = await findLinkOrThrow(deps, input.path.link_uuid, input.query.app_id);
  input.authorize(link);
  const { sealer } = deps;
  const isMember = hasRole(input.caller.roles, 'MEMBER');
  const matching = isMember ? link.matching_sealed : null;
  const sessions = await sessionsOf(deps.db, { link_uuid: link.link_uuid, sessionsMax });
  return {
    status: 200,
    headers: { ETag: etagOf(link) },
    body: {
      ...(await presentLink(deps, link, input.call.now)),
      matching_params: await openLinkValue(sealer, link, 'matching', matching),
      policy: link.policy,
      transaction_data: await openLinkValue(
        sealer,
        link,
        'transaction_data',
        link.transaction_data_sealed,
      ),
      meeting: link.meeting && meeting.parse({ ...link.meeting, ...presentMeeting(link.meeting) }),
      delivery: link.delivery,
      sandbox_subject: link.sandbox_subject,
      sessions: sessions.map((row) => ({
        link_session_id: row.link_session_id,
        status: row.status,
        at: row.created_at.toISOString(),
      })),
    },
  };
});
