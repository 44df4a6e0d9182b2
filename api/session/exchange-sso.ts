import { sealLoginEmail } from '../../activities/identity/email/answer.ts';
import { assertRule } from '../../activities/identity/sso/access-token-refused.ts';
import { domainOf } from '../../activities/identity/sso/claims.ts';
import { enterAccount } from '../../activities/identity/sso/enter-account.ts';
import type { Subject } from '../../activities/identity/sso/find-person.ts';
import {
  judgeAccessToken,
  type JudgedToken,
  type OpenedProvider,
} from '../../activities/identity/sso/judge.ts';
import { lockedTransaction, type Tx } from '../../db/client.ts';
import { lockAccount } from '../../db/queries/accounts.ts';
import {
  findSsoProvider,
  ssoSecretContext,
  type SsoProviderRow,
} from '../../db/queries/sso-providers.ts';
import { accountOwner } from '../../db/sealing/sealed.ts';
import type { Deps } from '../deps.ts';
import type { CallFacts } from '../http/contract.ts';
import type { OpenedSession } from '../sign-in/answer.ts';
import { open } from '../sign-in/open.ts';
import { unlessRefused } from '../sign-in/sign-in.ts';

export type ExchangeSsoDeps = Pick<
  Deps,
  'db' | 'keys' | 'ids' | 'settings' | 'telemetry' | 'sealer' | 'outside'
>;

interface Offered {
  readonly provider: string;
  readonly access_token: string;
}

const lifeMsMax = 3600_000;

/**
 * Opens a session for the subject of a provider's access token, in the account of the provider.
 * @throws Failure `credential_invalid` for every cause, with the broken rule in the log;
 *   `dependency_unavailable` if the provider does not answer
 */
export function exchangeSso(
  deps: ExchangeSsoDeps,
  { provider, access_token: token }: Offered,
  call: CallFacts,
): Promise<OpenedSession> {
  const exchange = async (): Promise<OpenedSession> => {
    const row = await findSsoProvider(deps.db, provider);
    assertRule('provider', row !== null);
    const opened = { row, clientSecret: await openSecret(deps, row) };
    const judged = await judgeAccessToken(deps.outside.issuers, opened, token, call.now);
    return enter(deps, opened, judged, call.now);
  };
  return unlessRefused(deps, call, exchange, { provider });
}

async function openSecret(
  { sealer }: Pick<Deps, 'sealer'>,
  { account_id, provider, client_secret_sealed: sealed }: SsoProviderRow,
): Promise<string | null> {
  if (sealed === null) return null;
  const opened = await sealer.open(accountOwner(account_id), ssoSecretContext(provider), sealed);
  return opened.toString();
}

/**
 * Enters the account and opens the session in one transaction. A person without a role gets none.
 */
async function enter(
  deps: ExchangeSsoDeps,
  { row }: OpenedProvider,
  judged: JudgedToken,
  now: Date,
): Promise<OpenedSession> {
  const subject = await sealSubject(deps, row, judged);
  const entering = { ...subject, roles: judged.roles };
  const lock = (tx: Tx) => lockAccount(tx, row.account_id);
  const session = await lockedTransaction(deps.db, lock, async (tx, account) => {
    const eventDeps = { ids: deps.ids, now };
    const entered = await enterAccount(tx, eventDeps, account, row, entering);
    // A lost membership must be committed, which an exception would prevent.
    if (!entered || !account) return null;
    const { roles, polyUserId, identityId } = entered;
    const chosen = { account_id: account.account_id, name: account.name, roles };
    const by = { authMethod: 'email', provider: row.provider, authTime: judged.authTime } as const;
    const known = identityId === null ? {} : { identityId };
    const end = { notAfter: endOf(judged, now) };
    const opening = { polyUserId, chosen, memberships: [chosen], ...by, ...known, ...end };
    return open(deps, tx, opening, now);
  });
  assertRule('role', session !== null);
  return session;
}

/**
 * Computes the keyed digests for look-up and seals before the transaction, which waits for no key.
 */
async function sealSubject(
  { sealer }: Pick<Deps, 'sealer'>,
  { account_id, issuer }: SsoProviderRow,
  { subject, address }: JudgedToken,
): Promise<Subject> {
  const digest = sealer.blind('sso-subject', JSON.stringify([account_id, issuer, subject]));
  if (!address) return { digest, address: null };
  const sealed = await sealLoginEmail(sealer, address);
  return { digest, address: { ...sealed, domain: domainOf(address) } };
}

/** One hour, because groups are read only at sign-in; earlier if the token expires earlier. */
function endOf({ expiresAt }: JudgedToken, now: Date): Date {
  const hour = Math.floor(now.getTime() / 1000) * 1000 + lifeMsMax;
  return new Date(Math.min(hour, expiresAt?.getTime() ?? Infinity));
}
