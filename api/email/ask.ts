import { keepEmailRequest } from '../../activities/email/requests.ts';
import type { Address } from '../../activities/email/address.ts';
import { languageOf, languages } from '../../activities/languages/spoken.ts';
import type { EmailPurpose } from '../../db/names.ts';
import { findApp } from '../../db/queries/credentials.ts';
import { Failure } from '../../workflows/failures.ts';
import { browserCookie, emailCookie } from '../browser-cookie.ts';
import type { CallFacts } from '../contract.ts';
import type { Deps } from '../deps.ts';
import { networkOf } from '../network-of.ts';
import { mustLeadTo } from '../return-to.ts';

export type AskDeps = Pick<Deps, 'db' | 'keys' | 'sealer' | 'ids' | 'settings'>;

interface AskBody {
  readonly email: Address;
  readonly return_to?: string | undefined;
  readonly locale?: string | undefined;
  readonly app_id?: string | undefined;
}

/**
 * Keeps a request for a mail and answers. Nothing here depends on whose the address is: one row is
 * written for every one, and workers do the rest.
 */
export async function ask(
  deps: AskDeps,
  purpose: EmailPurpose,
  { email, return_to: returnTo, locale, app_id: appId }: AskBody,
  polyUserId: string | null,
  { now, header, address }: CallFacts,
) {
  await checkReturn(deps, appId, returnTo);
  const { db, sealer, ids, keys, settings } = deps;
  const { browserToken, code } = await keepEmailRequest(
    { db, sealer, ids, emailSecret: keys.secret('email-token') },
    {
      purpose,
      address: email,
      polyUserId,
      network: settings.isAddressTold ? networkOf(address) : null,
      appId: appId ?? null,
      returnTo: returnTo ?? null,
      locale: locale ?? languageOf(header('accept-language') ?? '', languages),
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

/** A mail leads to us or to an origin of the app that asks, else anybody could phish by it. */
async function checkReturn(
  { db, settings }: Pick<Deps, 'db' | 'settings'>,
  appId: string | undefined,
  returnTo: string | undefined,
): Promise<void> {
  const app = appId === undefined ? null : await findApp(db, appId);
  if (appId !== undefined && !app) throw new Failure('not_found');
  if (returnTo === undefined) return;
  // The fragment is the token’s.
  const isOurs = URL.parse(returnTo)?.hash === '';
  mustLeadTo(returnTo, isOurs ? [...settings.origins, ...(app?.allowed_origins ?? [])] : []);
}
