import { claimsTokenOf } from '../../../activities/trust-checks/claims-token.ts';
import type { TrustCheckRow } from '../../../db/queries/trust-checks.ts';
import { isTrustCheckFinal } from '../../../workflows/trust-check/state.ts';
import type { Deps } from '../../deps.ts';
import { handler } from '../../http/contract.ts';
import { redirectOf } from '../../running-checks/redirect.ts';
import { findSessionOrThrow } from '../../running-checks/find.ts';
import { trustCheckContracts } from '../contract.ts';
import { presentSession } from '../present.ts';
import { reviewRequestsOf } from '../review/review-requests.ts';
import { reviewsOf } from '../review/reviews.ts';
import { withDelivery } from '../schemas/delivery.ts';
import { withCaptureSignals } from './capture-signals.ts';
import { cancelReasonOf } from './cancel-reason.ts';
import { expand } from './expand.ts';

type GetDeps = Pick<Deps, 'db' | 'sealer' | 'keys' | 'ids' | 'settings' | 'files'>;

/**
 * Returns one session. The holder of its check token also gets the claims token, and where and when
 * a code was sent. The account also gets the reason of a cancellation, the reviews, the requests
 * for a review, and the signals that the page reported about browser and camera.
 */
export const get = handler(trustCheckContracts.get)(async (input, deps: GetDeps) => {
  const { caller, call, path } = input;
  const session = await findSessionOrThrow(deps, path.id, caller, input.authorize);
  const expanded = await expand(deps, input, session);
  const mint = { jti: deps.ids.make('jti'), now: call.now };
  const claimsToken =
    caller.kind === 'check-token'
      ? await claimsTokenOf({ ...deps, baseUrl: deps.settings.baseUrl }, session, mint)
      : null;
  const isAccount = caller.kind !== 'check-token';
  const redirectUrl = !isAccount && isOver(session) ? await redirectOf(deps, session) : null;
  const reason = isAccount ? await cancelReasonOf(deps, session) : null;
  const reviews = isAccount ? await reviewsOf(deps, session) : [];
  const requested = isAccount ? await reviewRequestsOf(deps, session) : [];
  const body = await presentSession(deps, session, caller);
  const read = { session, now: call.now, isPerson: !isAccount };
  const delivered = await withDelivery(deps, read, body.proofs);
  const proofs = isAccount ? await withCaptureSignals(deps, session, delivered) : delivered;
  const shown = {
    ...body,
    proofs,
    verified_claims_token: claimsToken,
    redirect_url: redirectUrl,
    cancel_reason: reason,
    review_requests: requested,
  };
  const affidavit = { ...body.affidavit, ...expanded.affidavit };
  return { status: 200, body: { ...shown, reviews, ...expanded, affidavit } };
});

/** Whether the person has nothing left to do. */
const isOver = ({ status }: TrustCheckRow): boolean =>
  status === 'in_review' || isTrustCheckFinal(status);
