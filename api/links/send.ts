import { startOfInvitation } from '../../activities/links/start.ts';
import { queueInvitationAgain, withdrawInvitation } from '../../activities/links/withdraw.ts';
import { markInvited } from '../../db/queries/links.ts';
import type { Deps } from '../deps.ts';
import { handler } from '../http/contract.ts';
import { linkContracts } from './contract.ts';
import { createLink, type CreateDeps } from './create.ts';
import { etagOf, presentLink } from './present.ts';

/**
 * Creates a single-use link and starts the workflow that mails it. If Temporal is unavailable, the
 * caller gets 503 and the mail is withdrawn. A repeat with the same Idempotency-Key continues with
 * the same link. Another key creates another link. In both cases one mail is sent. A relay starts
 * the mail of a request that crashed before its response.
 */
export const send = handler(linkContracts.send)(async (
  input,
  deps: CreateDeps & Pick<Deps, 'temporal' | 'clock'>,
) => {
  const { send_to_email: email, recipient_name: name, reference_note: note } = input.body;
  const made = await createLink(deps, input.body, {
    appId: input.path.app_id,
    linkType: input.body.link_type,
    caller: input.caller,
    seed: input.seed,
    now: input.call.now,
    authorize: input.authorize,
    recipient: { email, ...(name ? { name } : {}), ...(note ? { note } : {}) },
  });
  const isWithdrawn = made.delivery?.status === 'failed';
  const link = (isWithdrawn && (await queueInvitationAgain(deps, made.link_uuid))) || made;
  try {
    await deps.temporal.start('linkInvitation', startOfInvitation(link));
  } catch (error) {
    // The start may have arrived in spite of the error. A mail in progress counts as started.
    if (await withdrawInvitation(deps, link.link_uuid)) throw error;
  }
  await markInvited(deps.db, link.link_uuid);
  return {
    status: 200,
    headers: { ETag: etagOf(link) },
    body: {
      ...(await presentLink(deps, link, input.call.now)),
      delivery: { status: link.delivery?.status ?? 'queued' },
    },
  };
});
