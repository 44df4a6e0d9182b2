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
 * Completes a link for an app and returns where to lead the person: the return address of the
 * begin, else the redirect of link or app. The session is the named one, else the newest that this
 * device has run on the link. The body may have a consent. A bundle in it must be of the person who
 * owns the phone. Without a bundle, a nonce is the single-use one of the join session that the
 * check was begun for.
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
  // Checked before the consent, which cannot be revoked.
  if (nonce && body.consent) assertCredentialValid(await hasJoinNonce(deps.db, id, nonce));
  const session = body.consent ? await giveConsent(deps, found, body.consent) : found;
  // A refused consent does not use up the nonce.
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

/** One response for an unknown nonce, one of another check, and a used one. */
function assertCredentialValid(isGood: boolean): void {
  if (!isGood) throw new Failure('credential_invalid');
}

/**
 * Verifies the bundle; null without one.
 * @throws Failure `credential_invalid` for an invalid bundle, one of another person, or one with
 *   another nonce
 */
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

/** Whether the bundle's audience is the service, or the account or app of the link. */
function isFor({ audience, appId }: VerifiedBundle, link: LinkRow): boolean {
  if (audience.kind === 'account' && audience.accountId !== link.account_id) return false;
  if (audience.kind === 'app' && audience.appId !== link.app_id) return false;
  return appId === null || appId === link.app_id;
}

/** A session of another link or device gets the same response as an unknown one. */
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
