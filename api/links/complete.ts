import { findApp } from '../../db/queries/credentials.ts';
import type { LinkRow } from '../../db/queries/links.ts';
import {
  findNewestOfDevice,
  findTrustCheck,
  type TrustCheckRow,
} from '../../db/queries/trust-checks.ts';
import { Failure } from '../../workflows/failures.ts';
import { handler, type Input } from '../contract.ts';
import type { Deps } from '../deps.ts';
import { giveConsent } from '../trust-checks/consent.ts';
import type { ChangeDeps } from '../trust-checks/change.ts';
import { linkContracts } from './contract.ts';
import { mustFindLink } from './find.ts';
import { stateOf } from './present.ts';

type Common = Pick<Input<typeof linkContracts.complete>, 'attested' | 'body' | 'call'>;

export const complete = handler(linkContracts.complete)(async (input, deps: ChangeDeps) =>
  completeRedirect(deps, input.path.link_uuid, input.path.app_id, input),
);
export const completeById = handler(linkContracts.completeById)(async (input, deps: ChangeDeps) =>
  completeRedirect(deps, input.path.link_uuid, input.query.app_id, input),
);

/**
 * The app says that it is done with a link and asks where to lead the person: to where the session
 * was begun from when that was said, else to the redirect of link or app. The session is the named
 * one, or the newest this very device has run on the link; consent may come along with it.
 */
async function completeRedirect(
  deps: ChangeDeps,
  linkUuid: string,
  appId: string | undefined,
  { attested, body, call }: Common,
) {
  const link = await mustFindLink(deps, linkUuid, appId);
  const found = await findSession(deps, link, attested.deviceId, body.link_session_id);
  if (!found) {
    const state = stateOf(link, call.now);
    if (state === 'active' || state === 'reserved') throw new Failure('not_found');
    throw new Failure('link_not_active', { detail: `The link is ${state}` });
  }
  const session = body.consent ? await giveConsent(deps, found, body.consent) : found;
  const app = await findApp(deps.db, link.app_id);
  return {
    status: 200,
    body: {
      link_session_id: session.link_session_id,
      status: session.status,
      redirect_url: session.return_to ?? session.asked.redirect_url ?? app?.redirect_url ?? null,
      link_uuid: link.link_uuid,
    },
  } as const;
}

/** A session of another link or another device is as unknown as one that does not exist. */
async function findSession(
  deps: Pick<Deps, 'db'>,
  link: LinkRow,
  deviceId: string,
  id: string | undefined,
): Promise<TrustCheckRow | null> {
  if (id === undefined) return findNewestOfDevice(deps.db, link.link_uuid, deviceId);
  const session = await findTrustCheck(deps.db, id);
  const isOwn = session?.link_uuid === link.link_uuid && session.device_id === deviceId;
  if (!isOwn) throw new Failure('not_found');
  return session;
}
