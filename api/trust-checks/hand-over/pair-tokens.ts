import { derivedId } from '../../../db/ids.ts';
import { spendPairToken, takePairToken } from '../../../db/queries/pair-tokens.ts';
import type { LinkRow } from '../../../db/queries/links.ts';
import type { TrustCheckRow } from '../../../db/queries/trust-checks.ts';
import { pairToken, pairTokenLifeMs, readPairToken } from '../../../domain/tokens/pair-token.ts';
import { Failure } from '../../../workflows/failures.ts';
import type { Deps } from '../../deps.ts';
import { handler } from '../../http/contract.ts';
import { findLinkOrThrow } from '../../links/find.ts';
import { linkUrl } from '../../links/present.ts';
import { findSessionOrThrow, assertNotEnded } from '../../running-checks/find.ts';
import { handOverContracts } from './contract.ts';

type PairDeps = Pick<Deps, 'db' | 'keys' | 'settings'>;

/** A token that expires sooner is not shown again, because scanning takes a moment. */
const leftMsMin = 60_000;

/** Returns the address with which another device joins. */
export const renewPairToken = handler(handOverContracts.pairToken)(async (
  input,
  deps: PairDeps,
) => {
  const session = await findSessionOrThrow(deps, input.path.id, input.caller, input.authorize);
  assertJoinable(session);
  const link = await findLinkOrThrow(deps, session.link_uuid, session.app_id);
  return { status: 200, body: await pairAddressOf(deps, session, link, input.call.now) };
});

/** @throws Failure `already_paired` or `invalid_state` if no other device can join */
export function assertJoinable(session: TrustCheckRow): void {
  assertNotEnded(session);
  if (session.device_id !== null) throw new Failure('already_paired');
  if (session.status === 'in_review') throw new Failure('invalid_state');
}

/**
 * Returns the address with which another device joins. Its token is valid until used or expired.
 */
export async function pairAddressOf(
  { db, keys, settings }: PairDeps,
  { link_session_id: linkSessionId }: TrustCheckRow,
  link: LinkRow,
  now: Date,
  leftMs = leftMsMin,
) {
  const from = now.getTime();
  const taken = await takePairToken(db, linkSessionId, {
    until: new Date(from + leftMs),
    expiresAt: new Date(from + pairTokenLifeMs),
  });
  if (!taken) throw new Failure('not_found');
  const generation = taken.pair_generation;
  const token = pairToken(keys.secret('pair-token'), { linkSessionId, generation });
  const url = linkUrl(settings.baseUrl, link);
  return {
    pair_url: `${url}#p=${token}`,
    qr_svg_url: `${url}?format_type=S&pair_token=${token}`,
    pair_expires_at: taken.pair_expires_at.toISOString(),
  };
}

/**
 * Uses up the pair token of a begin. A repeat of the same request succeeds.
 * @throws Failure `not_found` for a token with an invalid signature, `pair_token_ended` for a used,
 *   expired or replaced token
 */
export async function usePairToken(
  { db, keys }: PairDeps,
  token: string,
  seed: string,
  now: Date,
): Promise<void> {
  const named = readPairToken(keys.acceptedSecrets('pair-token', now), token);
  if (!named) throw new Failure('not_found');
  const { linkSessionId: id, generation } = named;
  const isUsed = await spendPairToken(db, { id, generation, by: derivedId('pair', seed), now });
  if (!isUsed) throw new Failure('pair_token_ended');
}
