import { verifyBundle, type VerifiedBundle } from '../../activities/tokens/verify-bundle.ts';
import { hasJoinNonce, spendJoinNonce } from '../../db/queries/join-sessions.ts';
import type { LinkRow } from '../../db/queries/links.ts';
import {
  findNewestOfDevice,
  findTrustCheck,
  type TrustCheckRow,
} from '../../db/queries/trust-checks.ts';
import { assertRule } from '../../domain/tokens/bundle-refused.ts';
import { hashOfToken } from '../../domain/tokens/email-token.ts';
import { Failure } from '../../workflows/failures.ts';
import type { Deps } from '../deps.ts';
import { handler, type Input } from '../http/contract.ts';
import type { ChangeDeps } from '../running-checks/change.ts';
import { giveConsent } from '../running-checks/give-consent.ts';
import { unlessRefused } from '../sign-in/sign-in.ts';
import { linkContracts } from './contract.ts';
import { findLinkOrThrow } from './find.ts';
import { stateOf } from './present.ts';
import { redirectOf } from '../running-checks/redirect.ts';

type Common = Pick<Input<typeof linkContracts.complete>, 'attested' | 'body' | 'call'>;
type CompleteDeps = ChangeDeps & Pick<Deps, 'keys' | 'settings' | 'telemetry'>;

export const complete = handler(linkContracts.complete)(async (input, deps: CompleteDeps) =>
  completeRedirect(deps, input.path.link_uuid, input.path.app_id, input),
);
export const completeById = handler(linkContracts.completeById)(async (input, deps: CompleteDeps) =>
  completeRedirect(deps, input.path.link_uuid, input.query.app_id, input),
);

/**
 * The app says that it is done with a link and asks where to lead the person: to where the session
 * was begun from when that was said, else to the redirect of link or app. The session is the named
 * one, or the newest this very device has run on the link; consent may come along with it, and the
 * bundle of the person, who then has to be whose phone it is. Without one a nonce is that of the
 * join session the check was begun for, good once.
 */
async function completeRedirect(
  deps: CompleteDeps,
  linkUuid: string,
  appId: string | undefined,
  input: Common,
) {
  const { attested, body, call } = input;
  const bundle = await readBundle(deps, input);
  const link = await findLinkOrThrow(deps, linkUuid, appId);
  if (bundle && !isFor(bundle, link)) throw new Failure('credential_invalid');
  const found = await findSession(deps, link, attested.deviceId, body.link_session_id);
  if (!found) {
    const state = stateOf(link, call.now);
    if (state === 'active' || state === 'reserved') throw new Failure('not_found');
    throw new Failure('link_not_active', { detail: `The link is ${state}` });
  }
  const { link_session_id: id } = found;
  const nonce = bundle || body.nonce === undefined ? null : hashOfToken(body.nonce);
  // Looked at before a consent is given, which cannot be taken back.
  if (nonce && body.consent) assertCredentialValid(await hasJoinNonce(deps.db, id, nonce));
  const session = body.consent ? await giveConsent(deps, found, body.consent) : found;
  // A consent that is refused leaves it for another try.
  if (nonce) assertCredentialValid(await spendJoinNonce(deps.db, id, nonce));
  return {
    status: 200,
    body: {
      link_session_id: session.link_session_id,
      status: session.status,
      redirect_url: await redirectOf(deps, session),
      link_uuid: link.link_uuid,
    },
  } as const;
}

/** One answer for a nonce that is unknown, of another check, or used. */
function assertCredentialValid(isGood: boolean): void {
  if (!isGood) throw new Failure('credential_invalid');
}

/** Throws `credential_invalid` for a bundle that is not good, of somebody else, or another's. */
async function readBundle(
  deps: CompleteDeps,
  { attested, body: { raw_jwt: rawJwt, nonce }, call }: Common,
): Promise<VerifiedBundle | null> {
  if (rawJwt === undefined) return null;
  const { db, keys, settings } = deps;
  return unlessRefused(deps, call, async () => {
    const bundle = await verifyBundle({ db, keys, baseUrl: settings.baseUrl }, rawJwt, call.now);
    assertRule('account', bundle.polyUserId === attested.polyUserId);
    assertRule('nonce', nonce === undefined || nonce === bundle.nonce);
    return bundle;
  });
}

/** Whether the bundle was made for us, or for the account or app of the link. */
function isFor({ audience, appId }: VerifiedBundle, link: LinkRow): boolean {
  if (audience.kind === 'account' && audience.accountId !== link.account_id) return false;
  if (audience.kind === 'app' && audience.appId !== link.app_id) return false;
  return appId === null || appId === link.app_id;
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
