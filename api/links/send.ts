import { startOfInvitation } from '../../activities/invitations/start.ts';
import { markInvited } from '../../db/queries/links.ts';
import { handler } from '../contract.ts';
import type { Deps } from '../deps.ts';
import { linkContracts } from './contract.ts';
import { createLink, type CreateDeps } from './create.ts';
import { etagOf, presentLink } from './present.ts';

/**
 * Makes a single-use link and starts the workflow that mails it. Should the workflow server be away
 * the caller gets a 503; the same Idempotency-Key then continues with the link that was made, and a
 * relay starts what nobody asks for again.
 */
export const send = handler(linkContracts.send)(async (
  input,
  deps: CreateDeps & Pick<Deps, 'temporal'>,
) => {
  const { send_to_email: email, recipient_name: name, reference_note: note } = input.body;
  const link = await createLink(deps, input.body, {
    appId: input.path.app_id,
    linkType: input.body.link_type,
    caller: input.caller,
    seed: input.seed,
    now: input.call.now,
    authorize: input.authorize,
    recipient: { email, ...(name ? { name } : {}), ...(note ? { note } : {}) },
  });
  await deps.temporal.start('linkInvitation', startOfInvitation(link));
  await markInvited(deps.db, link.link_uuid);
  return {
    status: 200,
    headers: { ETag: etagOf(link) },
    body: {
      ...presentLink(deps.settings.baseUrl, link, input.call.now),
      delivery: { status: link.delivery?.status ?? 'queued' },
    },
  };
});
