import {
  codeLifeMs,
  codeMessage,
  deriveCode,
  resendAfterMs,
  sendsMax,
} from '../../activities/phone/code.ts';
import { maskPhoneNumber, readPhoneNumber } from '../../activities/phone/phone-number.ts';
import { numberContext } from '../../activities/phone/proof.ts';
import { lockedTransaction, type Tx } from '../../db/client.ts';
import { derivedId } from '../../db/ids.ts';
import { findApp } from '../../db/queries/credentials.ts';
import {
  addPhoneCode,
  findPhoneCode,
  lockPhoneCode,
  resendPhoneCode,
  type PhoneCodeRow,
} from '../../db/queries/proofs.ts';
import { lockTrustCheck, type TrustCheckRow } from '../../db/queries/trust-checks.ts';
import { accountOwner } from '../../db/sealed.ts';
import { Failure } from '../../workflows/failures.ts';
import { handler } from '../contract.ts';
import type { Deps } from '../deps.ts';
import { trustCheckContracts } from './contract.ts';
import { mustFindSession } from './find.ts';
import { countMessage } from './sms-limits.ts';

type SendDeps = Pick<Deps, 'db' | 'sealer' | 'keys' | 'outside' | 'settings' | 'telemetry'>;

/**
 * Sends the session's code. The send is counted before it is made: no crash gives a free one. The
 * same request again, after a crash or an outage in between, makes the send that was counted for it
 * and counts nothing.
 */
export const sendCode = handler(trustCheckContracts.sendCode)(async (input, deps: SendDeps) => {
  const session = await mustFindSession(deps, input.path.id, input.caller, input.authorize);
  checkExpected(session);
  const number = readPhoneNumber(input.body.phone_number, deps.settings.smsLimits.numbers);
  const { now, address } = input.call;
  const sendId = derivedId('send', input.seed);
  const last = await findPhoneCode(deps.db, session.link_session_id);
  const { series, sends, sent_at, expires_at } =
    last?.send_id === sendId
      ? last
      : await countSend(deps, session, { number, sendId, now, address });
  const app = await findApp(deps.db, session.app_id);
  const code = deriveCode(deps.keys.secret('sms-code'), session.link_session_id, series);
  const host = new URL(deps.settings.baseUrl).host;
  await deps.outside.sms.send({
    to: number,
    text: codeMessage(code, app?.name ?? session.app_id, host, session.locale ?? 'en'),
    idempotencyKey: `sms-code/${session.link_session_id}/${series}/${sends}`,
  });
  return {
    status: 202,
    body: {
      sent_to: maskPhoneNumber(number),
      expires_at: expires_at.toISOString(),
      resend_after: new Date(sent_at.getTime() + resendAfterMs).toISOString(),
    },
  };
});

function checkExpected(session: TrustCheckRow): void {
  const proof = session.proofs.find((candidate) => candidate.type === 'phone');
  if (!proof) throw new Failure('proof_not_expected');
  if (session.status === 'paired') throw new Failure('consent_required');
  if (session.status !== 'collecting' || !['ready', 'requires_retry'].includes(proof.status)) {
    throw new Failure('invalid_state', { detail: `The check is ${session.status}` });
  }
}

interface CodeRequest {
  readonly number: string;
  readonly sendId: string;
  readonly now: Date;
  /** Whence it is asked for. */
  readonly address: string;
}

type Send = Pick<PhoneCodeRow, 'series' | 'sends' | 'sent_at' | 'expires_at'>;

/**
 * Counts one send. What the session alone decides is asked first, under its lock; only a message
 * that nothing of it refuses touches a limit it shares with other sessions.
 */
async function countSend(
  deps: SendDeps,
  { link_session_id: id, account_id }: TrustCheckRow,
  request: CodeRequest,
): Promise<Send> {
  await deps.sealer.prepare(accountOwner(account_id));
  // Before the first code there is no row of it to lock: two first sends meet at the session.
  const lock = (tx: Tx) => lockTrustCheck(tx, id);
  return lockedTransaction(deps.db, lock, async (tx, session) => {
    if (!session) throw new Failure('not_found');
    const last = await lockPhoneCode(tx, id);
    if (last?.send_id === request.sendId) return last;
    checkExpected(session);
    checkRested(last, request.now);
    const counted = await addSend(tx, deps, { session, last, request });
    const { number: to, address } = request;
    await countMessage(tx, deps, { to, accountId: account_id, address });
    return counted;
  });
}

function checkRested(last: PhoneCodeRow | null, now: Date): void {
  if (!last) return;
  const waitMs = last.sent_at.getTime() + resendAfterMs - now.getTime();
  if (waitMs > 0) {
    throw new Failure('resend_too_soon', { retryAfterSeconds: Math.ceil(waitMs / 1000) });
  }
  if (last.sends >= sendsMax) throw new Failure('sends_exhausted');
}

interface NewSend {
  readonly session: TrustCheckRow;
  readonly last: PhoneCodeRow | null;
  readonly request: CodeRequest;
}

/** Another number starts another series, with another code; all sends of a session are counted. */
async function addSend(
  tx: Tx,
  { sealer }: SendDeps,
  { session, last, request: { number, sendId, now } }: NewSend,
): Promise<Send> {
  const id = session.link_session_id;
  const numberBlind = sealer.blind('phone-number', number);
  const send = {
    link_session_id: id,
    sends: (last?.sends ?? 0) + 1,
    send_id: sendId,
    sent_at: now,
    expires_at: new Date(now.getTime() + codeLifeMs),
  };
  if (last?.number_blind.equals(numberBlind)) {
    const again = { ...send, series: last.series };
    await resendPhoneCode(tx, again);
    return again;
  }
  const series = (last?.series ?? 0) + 1;
  const owner = accountOwner(session.account_id);
  const added = {
    ...send,
    series,
    number_sealed: await sealer.seal(owner, numberContext(id, series), number),
    number_blind: numberBlind,
    // A new number is no way to new guesses (NIST SP 800-63B-4 §3.2.2).
    guesses: last?.guesses ?? 0,
  };
  await addPhoneCode(tx, added);
  return added;
}
