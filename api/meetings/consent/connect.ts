import { newChallenge } from '../../../activities/identity/sso/consent.ts';
import {
  consentStepMs,
  type ConfBConsent,
} from '../../../activities/meetings/platforms/consent.ts';
import { addPlatformFlow } from '../../../db/queries/platform-accounts.ts';
import { hashOfToken } from '../../../domain/tokens/email-token.ts';
import { Failure } from '../../../workflows/failures.ts';
import { currentAccountOf } from '../../accounts/access/current-account.ts';
import type { Deps } from '../../deps.ts';
import { credentialName } from '../../http/auth/caller.ts';
import { handler } from '../../http/contract.ts';
import { consentContracts } from './contract.ts';

/** @throws Failure `platform_not_configured` */
export function confBConsentOrThrow({ outside }: Pick<Deps, 'outside'>): ConfBConsent {
  if (!outside.confB) throw new Failure('platform_not_configured');
  return outside.confB;
}

/** Begins a consent. Stores the digest of its `state`, for this account and credential only. */
export const connect = handler(consentContracts.connect)(async (
  input,
  deps: Pick<Deps, 'db' | 'ids' | 'outside'>,
) => {
  const { call, caller } = input;
  const account_id = currentAccountOf(caller);
  input.authorizeIn(account_id);
  const consent = confBConsentOrThrow(deps);
  const { state } = newChallenge(deps.ids);
  const expires_at = new Date(call.now.getTime() + consentStepMs);
  await addPlatformFlow(deps.db, {
    state_hash: hashOfToken(state),
    flow_id: deps.ids.make('pf'),
    platform: 'conf-b',
    account_id,
    begun_by: credentialName(caller),
    external_id: null,
    secrets_sealed: null,
    created_at: call.now,
    expires_at,
  });
  return {
    status: 201,
    body: { authorize_url: consent.adminConsentUrl(state), expires_at: expires_at.toISOString() },
  };
});
