import { useBundle } from '../../activities/tokens/verify-bundle.ts';
import { assertRule } from '../../domain/tokens/bundle-refused.ts';
import { TokenRefused } from '../../domain/tokens/token-refused.ts';
import { Failure } from '../../workflows/failures.ts';
import type { Deps } from '../deps.ts';
import type { CallFacts } from '../http/contract.ts';
import type { OpenedSession } from './answer.ts';
import { chooseAccount, type Wanted } from './choose-account.ts';
import { open } from './open.ts';

export type SignInDeps = Pick<Deps, 'db' | 'keys' | 'ids' | 'settings' | 'telemetry'>;

/**
 * Opens a session for the subject of a verification bundle, with the current roles.
 * @param isMemberOnly refuse a person without any account
 * @throws Failure `credential_invalid` for every cause; the broken rule is in the log
 */
export function signIn(
  deps: SignInDeps,
  rawJwt: string,
  wanted: Wanted,
  call: CallFacts,
  isMemberOnly = false,
): Promise<OpenedSession> {
  return unlessRefused(deps, call, () => signInOr(deps, rawJwt, wanted, call.now, isMemberOnly));
}

/**
 * Runs an action on a token and maps every refusal to one response. Logs the rule and `logFields`.
 * @throws Failure `credential_invalid`
 */
export async function unlessRefused<T>(
  { telemetry }: Pick<Deps, 'telemetry'>,
  { requestId }: CallFacts,
  act: () => Promise<T>,
  logFields: Readonly<Record<string, string>> = {},
): Promise<T> {
  try {
    return await act();
  } catch (error) {
    if (!(error instanceof TokenRefused)) throw error;
    const facts = { ...logFields, request_id: requestId, rule: error.rule, reason: error.message };
    telemetry.log.info(facts, 'a token was refused');
    throw new Failure('credential_invalid');
  }
}

async function signInOr(
  deps: SignInDeps,
  rawJwt: string,
  wanted: Wanted,
  now: Date,
  isMemberOnly: boolean,
): Promise<OpenedSession> {
  const { db, keys, settings } = deps;
  const verifying = { db, keys, baseUrl: settings.baseUrl };
  return useBundle(verifying, rawJwt, now, async (bundle, memberships, spending) => {
    const { polyUserId, authTime, deviceId } = bundle;
    const acting = await chooseAccount({ db }, bundle, wanted, memberships);
    assertRule('account', !isMemberOnly || acting.memberships.length > 0);
    const proved = { polyUserId, authMethod: 'cert', authTime, deviceId } as const;
    return open(deps, db, { ...proved, ...acting, spending }, now);
  });
}
