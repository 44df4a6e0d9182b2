import { lockedTransaction, type Tx } from '../../../db/client.ts';
import { derivedId } from '../../../db/ids.ts';
import { findApp } from '../../../db/queries/credentials.ts';
import { countHandOverSend } from '../../../db/queries/pair-tokens.ts';
import { lockTrustCheck, type TrustCheckRow } from '../../../db/queries/trust-checks.ts';
import { handOverMessage } from '../../../domain/proofs/phone/hand-over-message.ts';
import {
  maskPhoneNumber,
  readPhoneNumber,
  routesOf,
} from '../../../domain/proofs/phone/phone-number.ts';
import { pairTokenLifeMs } from '../../../domain/tokens/pair-token.ts';
import { Failure } from '../../../workflows/failures.ts';
import { needsDevice } from '../../../workflows/proofs.ts';
import type { Deps } from '../../deps.ts';
import { handler, type CallFacts } from '../../http/contract.ts';
import { findLinkOrThrow } from '../../links/find.ts';
import { findSessionOrThrow } from '../../running-checks/find.ts';
import { reportTo } from '../../sms/report-to.ts';
import { countMessage } from '../code/sms-limits.ts';
import { checkRoutes } from '../code/sms-routes.ts';
import { handOverContracts } from './contract.ts';
import { assertJoinable, pairAddressOf } from './pair-tokens.ts';

type SendDeps = Pick<Deps, 'db' | 'sealer' | 'keys' | 'outside' | 'settings' | 'telemetry'>;

/** Messages of one check to all numbers together. Limits unwanted messages to strangers. */
const sendsMax = 3;

/**
 * Sends the address with which a phone joins. The number is not stored. The send is counted before
 * it is made. A repeated request is no further message of the check, but counts for the other
 * limits.
 */
export const sendLink = handler(handOverContracts.handOver)(async (input, deps: SendDeps) => {
  const session = await findSessionOrThrow(deps, input.path.id, input.caller, input.authorize);
  assertJoinable(session);
  const { phone_number: written, country } = input.body;
  const number = readPhoneNumber(written, deps.settings.smsLimits.numbers, country);
  const { call } = input;
  await checkRoutes(deps, routesOf(number, session.account_id), call.now);
  const sendId = derivedId('send', input.seed);
  const { isNew, sends } = await countSend(deps, session, { number, sendId, call });
  const link = await findLinkOrThrow(deps, session.link_uuid, session.app_id);
  const app = await findApp(deps.db, session.app_id);
  // A new message gets a token with its full lifetime, a repeated one the current token.
  const leftMs = isNew ? pairTokenLifeMs : undefined;
  const address = await pairAddressOf(deps, session, link, call.now, leftMs);
  const { link_session_id } = session;
  await deps.outside.sms.send({
    to: number,
    text: handOverMessage(
      isOfBrowser(session) ? address.pair_url.replace('#', '?format_type=H#') : address.pair_url,
      app?.name ?? session.app_id,
      session.locale,
    ),
    idempotencyKey: `sms-hand-over/${link_session_id}/${sends}`,
    lifeMs: pairTokenLifeMs,
    // No code has the series 0, so delivery reports of this message are dropped.
    reportTo: reportTo(deps.settings.baseUrl, { link_session_id, series: 0, send: sends }),
  });
  return {
    status: 202,
    body: { sent_to: maskPhoneNumber(number), expires_at: address.pair_expires_at },
  };
});

/** Whether a browser can continue the check. The link then requests the page by its format. */
const isOfBrowser = ({ asked, proofs }: TrustCheckRow): boolean =>
  (asked.policy.web_allowed ?? true) && !proofs.some(({ type }) => needsDevice(type));

interface Counted {
  readonly isNew: boolean;
  /** The number of the message within the check, from 1. */
  readonly sends: number;
}

async function countSend(
  deps: SendDeps,
  { link_session_id: id, account_id: accountId }: TrustCheckRow,
  request: { readonly number: string; readonly sendId: string; readonly call: CallFacts },
): Promise<Counted> {
  const { number: to, sendId, call } = request;
  const lock = (tx: Tx) => lockTrustCheck(tx, id);
  return lockedTransaction(deps.db, lock, async (tx, session) => {
    if (!session) throw new Failure('not_found');
    const { hand_over_sends: sends } = session;
    assertJoinable(session);
    if (session.hand_over_send_id === sendId) {
      // The first attempt got no response, but its message may have been sent.
      await countMessage(tx, deps, { to, accountId, address: call.address });
      return { isNew: false, sends };
    }
    if (sends >= sendsMax) throw new Failure('sends_exhausted');
    await countHandOverSend(tx, id, sendId);
    await countMessage(tx, deps, { to, accountId, address: call.address });
    return { isNew: true, sends: sends + 1 };
  });
}
