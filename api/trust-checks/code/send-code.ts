import { rejected } from '../../../activities/delivery/sms/port.ts';
import { isLasting, smsReasons } from '../../../activities/delivery/sms/reasons.ts';
import { numberContext } from '../../../activities/proofs/phone/proof.ts';
import { lockedTransaction, type Tx } from '../../../db/client.ts';
import { derivedId } from '../../../db/ids.ts';
import { findApp } from '../../../db/queries/credentials.ts';
import {
  addPhoneCode,
  findPhoneCode,
  lockPhoneCode,
  noteCodeDelivery,
  resendPhoneCode,
  type CodeSend,
  type PhoneCodeRow,
} from '../../../db/queries/proofs.ts';
import { countCodeSent } from '../../../db/queries/sms-routes.ts';
import { lockTrustCheck, type TrustCheckRow } from '../../../db/queries/trust-checks.ts';
import { accountOwner } from '../../../db/sealing/sealed.ts';
import {
  codeLifeMs,
  codeMessage,
  deriveCode,
  resendableMs,
  resendAfterMs,
  sendsMax,
} from '../../../domain/proofs/phone/code.ts';
import {
  maskPhoneNumber,
  readPhoneNumber,
  routesOf,
} from '../../../domain/proofs/phone/phone-number.ts';
import { Failure } from '../../../workflows/failures.ts';
import { awaitsSubmission } from '../../../workflows/proofs.ts';
import type { Deps } from '../../deps.ts';
import { handler } from '../../http/contract.ts';
import { findSessionOrThrow } from '../../running-checks/find.ts';
import { reportTo } from '../../sms/report-to.ts';
import { codeContracts } from './contract.ts';
import { countMessage } from './sms-limits.ts';
import { checkRoutes } from './sms-routes.ts';

type SendDeps = Pick<Deps, 'db' | 'sealer' | 'keys' | 'outside' | 'settings' | 'telemetry'>;

/**
 * Sends the session's code. The send is counted before it is made, so that a crash cannot cause an
 * uncounted one. A repeated request makes the send that was counted for it and counts nothing.
 */
export const sendCode = handler(codeContracts.sendCode)(async (input, deps: SendDeps) => {
  const session = await findSessionOrThrow(deps, input.path.id, input.caller, input.authorize);
  checkExpected(session);
  const { phone_number: written, country } = input.body;
  const number = readPhoneNumber(written, deps.settings.smsLimits.numbers, country);
  const { now, address } = input.call;
  const sendId = derivedId('send', input.seed);
  const last = await findPhoneCode(deps.db, session.link_session_id);
  checkReachable(deps, last, number);
  const counted = countedFor(deps, last, sendId);
  if (!counted) await checkRoutes(deps, routesOf(number, session.account_id), now);
  const send = counted ?? (await countSend(deps, session, { number, sendId, now, address }));
  // A message that the provider is known to have is not sent again.
  if (!isPassedOn(send)) await passOn(deps, session, send, { number, now });
  return {
    status: 202,
    body: {
      sent_to: maskPhoneNumber(number),
      expires_at: send.expires_at.toISOString(),
      resend_after: new Date(send.sent_at.getTime() + resendAfterMs).toISOString(),
    },
  };
});

/** Returns the send counted for this request; null if its code derives from a revoked secret. */
const countedFor = (
  deps: Pick<Deps, 'keys'>,
  last: PhoneCodeRow | null,
  sendId: string,
): PhoneCodeRow | null =>
  last?.send_id === sendId && secretOfCode(deps, last) !== null ? last : null;

const secretOfCode = (
  { keys }: Pick<Deps, 'keys'>,
  { secret_version: version }: Pick<PhoneCodeRow, 'secret_version'>,
): Buffer | null => keys.secretOf('sms-code', version);

const reasonOf = ({ delivery_reason: reported }: Pick<PhoneCodeRow, 'delivery_reason'>) =>
  smsReasons.find((reason) => reason === reported);

/** Refuses a second message to a number that cannot receive any. */
function checkReachable({ sealer }: SendDeps, last: PhoneCodeRow | null, number: string): void {
  const reason = last ? reasonOf(last) : undefined;
  if (!last || !reason || !isLasting(reason)) return;
  if (last.number_blind.equals(sealer.blind('phone-number', number))) throw rejected(reason);
}

/**
 * Whether the provider has this message.
 * @throws Failure if the message is known to be undeliverable
 */
function isPassedOn(send: Send): boolean {
  if (send.delivery_send !== send.sends) return false;
  const reason = reasonOf(send);
  if (reason) throw rejected(reason);
  return true;
}

/** Sends a message to the provider and records the result. */
async function passOn(
  deps: SendDeps,
  session: TrustCheckRow,
  counted: Send,
  { number, now }: Pick<CodeRequest, 'number' | 'now'>,
): Promise<void> {
  const { link_session_id } = session;
  const app = await findApp(deps.db, session.app_id);
  const { series, sends, expires_at } = counted;
  const secret = secretOfCode(deps, counted);
  if (!secret) throw new Failure('dependency_unavailable');
  const code = deriveCode(secret, link_session_id, series);
  const { baseUrl } = deps.settings;
  const name = app?.name ?? session.app_id;
  const send: CodeSend = { link_session_id, series, send: sends };
  try {
    await deps.outside.sms.send({
      to: number,
      text: codeMessage(code, name, new URL(baseUrl).host, session.locale ?? 'en'),
      idempotencyKey: `sms-code/${link_session_id}/${series}/${sends}`,
      lifeMs: expires_at.getTime() - now.getTime(),
      reportTo: reportTo(baseUrl, send),
    });
  } catch (error) {
    const reported = error instanceof Failure ? error.extra['reason'] : null;
    const reason = smsReasons.find((each) => each === reported);
    if (reason) await noteCodeDelivery(deps.db, send, { state: 'failed', reason });
    throw error;
  }
  await noteCodeDelivery(deps.db, send, { state: 'accepted', reason: null });
}

function checkExpected(session: TrustCheckRow): void {
  const proof = session.proofs.find((candidate) => candidate.type === 'phone');
  if (!proof) throw new Failure('proof_not_expected');
  if (session.status === 'paired') throw new Failure('consent_required');
  if (session.status !== 'collecting' || !awaitsSubmission(proof)) {
    throw new Failure('invalid_state', { detail: `The check is ${session.status}` });
  }
}

interface CodeRequest {
  readonly number: string;
  readonly sendId: string;
  readonly now: Date;
  /** Client address of the request. */
  readonly address: string;
}

type Send = Pick<
  PhoneCodeRow,
  | 'series'
  | 'secret_version'
  | 'sends'
  | 'sent_at'
  | 'expires_at'
  | 'delivery_send'
  | 'delivery_reason'
>;

/**
 * Counts one send. First checks the session alone, under its lock. Limits shared with other
 * sessions are locked only for a message that these checks allow.
 */
async function countSend(
  deps: SendDeps,
  { link_session_id: id, account_id }: TrustCheckRow,
  request: CodeRequest,
): Promise<Send> {
  await deps.sealer.prepare(accountOwner(account_id));
  // Before the first code there is no row to lock, so two first sends are serialized on the
  // session.
  const lock = (tx: Tx) => lockTrustCheck(tx, id);
  return lockedTransaction(deps.db, lock, async (tx, session) => {
    if (!session) throw new Failure('not_found');
    const last = await lockPhoneCode(tx, id);
    const before = countedFor(deps, last, request.sendId);
    if (before) return before;
    checkExpected(session);
    checkRested(last, request.now);
    const counted = await addSend(tx, deps, { session, last, request });
    const { number: to, address } = request;
    await countMessage(tx, deps, { to, accountId: account_id, address });
    // Counted once per code, because it is typed once however often it is sent. Not in test mode,
    // where no code is typed.
    if (session.livemode && counted.series !== last?.series) {
      await countCodeSent(tx, routesOf(to, account_id), request.now);
    }
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

/**
 * Adds a send. A new series with a new code begins for another number, for a code that expires
 * soon, and for a code from a revoked secret. Sends count per session over all series.
 */
async function addSend(
  tx: Tx,
  deps: SendDeps,
  { session, last, request: { number, sendId, now } }: NewSend,
): Promise<Send> {
  const id = session.link_session_id;
  const { sealer, keys } = deps;
  const numberBlind = sealer.blind('phone-number', number);
  const send = {
    link_session_id: id,
    sends: (last?.sends ?? 0) + 1,
    send_id: sendId,
    sent_at: now,
  };
  const leftMs = last ? last.expires_at.getTime() - now.getTime() : 0;
  const isKept = leftMs >= resendableMs && last !== null && secretOfCode(deps, last) !== null;
  if (isKept && last.number_blind.equals(numberBlind)) {
    const again = { ...send, series: last.series };
    await resendPhoneCode(tx, again);
    return { ...last, ...again };
  }
  const series = (last?.series ?? 0) + 1;
  const owner = accountOwner(session.account_id);
  const added = {
    ...send,
    series,
    secret_version: keys.secretVersion,
    expires_at: new Date(now.getTime() + codeLifeMs),
    number_sealed: await sealer.seal(owner, numberContext(id, series), number),
    number_blind: numberBlind,
    // A new number gives no new guesses (NIST SP 800-63B-4 §3.2.2).
    guesses: last?.guesses ?? 0,
  };
  await addPhoneCode(tx, added);
  return { ...added, delivery_send: null, delivery_reason: null };
}
