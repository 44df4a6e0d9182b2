import { keepEmailRequest } from '../../activities/identity/email/requests.ts';
import { transaction, type Tx } from '../../db/client.ts';
import { findApp } from '../../db/queries/credentials.ts';
import type { Address } from '../../domain/identity/email-address.ts';
import { languages } from '../../domain/languages/languages.ts';
import { languageOf } from '../../domain/languages/spoken.ts';
import type { EmailPurpose } from '../../domain/names.ts';
import { Failure } from '../../workflows/failures.ts';
import type { Deps } from '../deps.ts';
import type { CallFacts } from '../http/contract.ts';
import { assertAllowedOrigin } from '../http/fields/return-to.ts';
import { countInTransaction } from '../http/limits.ts';
import { browserCookie, emailCookie } from '../http/server/browser-cookie.ts';
import { networkOf } from '../http/server/network-of.ts';

export type RequestMailDeps = Pick<
  Deps,
  'db' | 'keys' | 'sealer' | 'ids' | 'settings' | 'telemetry'
>;

/** Maximum of mails per minute for a network or a credential. More are dropped without an error. */
const mailsMax = { points: 60, seconds: 60 } as const;

interface AskBody {
  readonly email: Address;
  readonly return_to?: string | undefined;
  readonly locale?: string | undefined;
  readonly app_id?: string | undefined;
}

/**
 * Stores a request for a mail. The response depends neither on the owner of the address nor on the
 * limit: each request writes one row, and workers do the rest. If counting fails, no
 * mail is sent.
 * @param asker the network or credential that requests are counted for
 */
export async function requestMail(
  deps: RequestMailDeps,
  purpose: EmailPurpose,
  { email, return_to: returnTo, locale, app_id: appId }: AskBody,
  { asker, polyUserId }: { readonly asker: string; readonly polyUserId: string | null },
  { now, header, address, requestId }: CallFacts,
) {
  await checkReturn(deps, appId, returnTo);
  const { db, sealer, ids, keys, settings } = deps;
  const count = (tx: Tx) => countInTransaction(tx, `email.${purpose}`, asker, mailsMax);
  const { isOver } = await transaction(db, count);
  if (isOver) deps.telemetry.log.info({ request_id: requestId }, 'a mail too many is not sent');
  const { browserToken, code } = await keepEmailRequest(
    { db, sealer, ids, keys },
    {
      purpose,
      address: email,
      polyUserId,
      network: settings.isClientAddressKnown ? networkOf(address) : null,
      appId: appId ?? null,
      returnTo: returnTo ?? null,
      locale: locale ?? languageOf(header('accept-language') ?? '', languages),
      isDropped: isOver,
    },
    now,
  );
  return {
    status: 202,
    body: { status: 'accepted' as const },
    headers: {
      'Set-Cookie': browserCookie(settings.baseUrl, emailCookie, browserToken),
      'Email-Code': code,
    },
  } as const;
}

/** Requires an origin of the service or of the requesting app, to prevent phishing by mail. */
async function checkReturn(
  { db, settings }: Pick<Deps, 'db' | 'settings'>,
  appId: string | undefined,
  returnTo: string | undefined,
): Promise<void> {
  const app = appId === undefined ? null : await findApp(db, appId);
  if (appId !== undefined && !app) throw new Failure('not_found');
  if (returnTo === undefined) return;
  // The fragment is for the token.
  if (URL.parse(returnTo)?.hash !== '') {
    const detail = 'must be a web address without a fragment, which is for the token of the mail';
    throw new Failure('forbidden_target', { detail, extra: { loc: ['body', 'return_to'] } });
  }
  assertAllowedOrigin(returnTo, [...settings.origins, ...(app?.allowed_origins ?? [])]);
}
