import {
  sealAnswered,
  takeToken,
  type OfferedToken,
} from '../../activities/identity/email/answer.ts';
import { emailFlowOf } from '../../activities/identity/email/start.ts';
import { unlessMoved } from '../../activities/identity/lock-address.ts';
import { transaction, type Tx } from '../../db/client.ts';
import type { EmailRequestRow } from '../../db/queries/email-requests.ts';
import type { EmailPurpose } from '../../domain/names.ts';
import { consumeUpdate } from '../../workflows/email-login/messages.ts';
import { Failure } from '../../workflows/failures.ts';
import type { Deps } from '../deps.ts';
import type { CallFacts } from '../http/contract.ts';
import { emailCookie, readBrowserCookie } from '../http/server/browser-cookie.ts';

export type AnswerDeps = Pick<
  Deps,
  'db' | 'keys' | 'sealer' | 'ids' | 'settings' | 'temporal' | 'telemetry'
>;

interface Offer {
  readonly token: string;
  readonly code?: string | undefined;
}

const refusals = { invalid: 'email_token_invalid', code_required: 'email_code_required' } as const;

/** The request and the address that a valid token proves. */
export interface Proved {
  readonly request: EmailRequestRow;
  readonly address: { readonly blind: Buffer; readonly sealed: Buffer };
}

/**
 * Uses up a mailed token and runs `act` in the same transaction, then signals the workflow. If
 * `act` returns null, the token is refused like an invalid one.
 * @throws Failure `email_token_invalid`, `email_code_required`
 */
export async function answerMail<T>(
  deps: AnswerDeps,
  purpose: EmailPurpose,
  { token, code }: Offer,
  polyUserId: string | null,
  call: CallFacts,
  act: (tx: Tx, proved: Proved) => Promise<T | null>,
): Promise<T> {
  const { db, sealer, keys, settings } = deps;
  const offered: OfferedToken = {
    purpose,
    token,
    browserToken: readBrowserCookie(settings.baseUrl, emailCookie, call.header('cookie')),
    code: code ?? null,
    polyUserId,
  };
  const sealed = await sealAnswered({ db, sealer }, offered);
  if (!sealed) throw new Failure('email_token_invalid');
  const answer = () =>
    transaction(db, async (tx) => {
      const taken = await takeToken(tx, { keys }, offered, call.now);
      if (taken.status !== 'taken') return { refused: taken.status };
      const { request } = taken;
      const done = await act(tx, { request, address: { blind: request.address_blind, sealed } });
      return done === null ? { refused: 'invalid' as const } : { request, done };
    });
  const result = await unlessMoved(answer);
  if ('refused' in result) throw new Failure(refusals[result.refused]);
  tellWorkflow(deps, result.request, call);
  return result.done;
}

/**
 * Signals the workflow that the mail was answered. The row already records it, so a lost signal is
 * harmless: the workflow then times out.
 */
function tellWorkflow(
  { temporal, telemetry }: AnswerDeps,
  request: EmailRequestRow,
  call: CallFacts,
): void {
  const { request_id: requestId } = request;
  const { workflowId } = emailFlowOf(request);
  temporal
    .update(workflowId, consumeUpdate, [{ request_id: requestId }], `consume/${requestId}`)
    .catch((err: unknown) => {
      telemetry.log.info(
        { err, request_id: call.requestId },
        'a workflow was not told of its answered mail',
      );
    });
}
