import { BundleRefused } from '../../activities/tokens/bundle-refused.ts';
import { openSession } from '../../activities/tokens/open-session.ts';
import { verifyBundle } from '../../activities/tokens/verify-bundle.ts';
import { listMemberships, type Membership } from '../../db/queries/memberships.ts';
import { Failure } from '../../workflows/failures.ts';
import type { CallFacts } from '../contract.ts';
import type { Deps } from '../deps.ts';
import { chooseAccount, type Wanted } from './choose-account.ts';

export type SignInDeps = Pick<Deps, 'db' | 'keys' | 'ids' | 'settings' | 'telemetry'>;

export interface SignedIn {
  readonly token: string;
  readonly expiresAt: Date;
  readonly polyUserId: string;
  readonly chosen: Membership | null;
  readonly memberships: readonly Membership[];
}

/**
 * Opens a session for the subject of a verification bundle, with the roles the store has now.
 * Throws `credential_invalid` for every cause alike; the rule that was broken is in the log.
 * @param isMemberOnly refuse a person without any account
 */
export async function signIn(
  deps: SignInDeps,
  rawJwt: string,
  wanted: Wanted,
  call: CallFacts,
  isMemberOnly = false,
): Promise<SignedIn> {
  try {
    return await signInOrRefuse(deps, rawJwt, wanted, call.now, isMemberOnly);
  } catch (error) {
    if (!(error instanceof BundleRefused)) throw error;
    const facts = { request_id: call.requestId, rule: error.rule, reason: error.message };
    deps.telemetry.log.info(facts, 'a bundle was refused');
    throw new Failure('credential_invalid');
  }
}

async function signInOrRefuse(
  { db, keys, ids, settings }: SignInDeps,
  rawJwt: string,
  wanted: Wanted,
  now: Date,
  isMemberOnly: boolean,
): Promise<SignedIn> {
  const { baseUrl } = settings;
  const bundle = await verifyBundle({ db, keys, baseUrl }, rawJwt, now);
  const { polyUserId, authTime } = bundle;
  const memberships = await listMemberships(db, polyUserId);
  if (isMemberOnly && memberships.length === 0) throw new BundleRefused('account');
  const chosen = await chooseAccount({ db }, bundle, wanted, memberships);
  const session = await openSession(
    { on: db, tokens: keys.tokens, issuer: baseUrl, ids },
    {
      polyUserId,
      authMethod: 'cert',
      accountId: chosen?.account_id ?? null,
      roles: chosen?.roles ?? [],
      authTime,
    },
    now,
  );
  return { ...session, polyUserId, chosen, memberships };
}
