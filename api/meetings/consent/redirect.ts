import {
  newChallenge,
  openChallenge,
  sealChallenge,
} from '../../../activities/identity/sso/consent.ts';
import {
  consentStepMs,
  readTenant,
  type ConfBConsent,
  type PlatformDenial,
} from '../../../activities/meetings/platforms/consent.ts';
import {
  addPlatformFlow,
  connectPlatformAccount,
  takePlatformFlow,
  type PlatformFlowRow,
} from '../../../db/queries/platform-accounts.ts';
import { accountOwner } from '../../../db/sealing/sealed.ts';
import { hashOfToken } from '../../../domain/tokens/email-token.ts';
import { Failure } from '../../../workflows/failures.ts';
import { withAccountTransaction } from '../../accounts/access/account-transaction.ts';
import { currentAccountOf } from '../../accounts/access/current-account.ts';
import type { Deps } from '../../deps.ts';
import { callerName, credentialName } from '../../http/auth/caller.ts';
import { handler, type Input } from '../../http/contract.ts';
import { confBConsentOrThrow } from './connect.ts';
import { consentContracts } from './contract.ts';

type RedirectDeps = Pick<Deps, 'db' | 'ids' | 'outside' | 'sealer'>;
type Redirect = Input<typeof consentContracts.redirect>;
type ConsentedFlow = PlatformFlowRow & {
  readonly external_id: string;
  readonly secrets_sealed: Buffer;
};

const nothing = { reason: null, external_id: null, authorize_url: null, expires_at: null };

const denied = (reason: PlatformDenial) => ({ ...nothing, status: 'denied', reason }) as const;

/**
 * Continues a consent. Verifies its `state` first, which is single-use and bound
 * to the credential that began. All other parameters are untrusted until then.
 */
export const redirect = handler(consentContracts.redirect)(async (input, deps: RedirectDeps) => {
  const { body, call, caller } = input;
  const account_id = currentAccountOf(caller);
  input.authorizeIn(account_id);
  const consent = confBConsentOrThrow(deps);
  const begun = { platform: 'conf-b', account_id, begun_by: credentialName(caller) };
  const flow =
    body.state === undefined
      ? null
      : await takePlatformFlow(deps.db, hashOfToken(body.state), begun);
  if (!flow) throw new Failure('not_found');
  if (flow.expires_at <= call.now) {
    return { status: 200, body: { ...nothing, status: 'expired' as const } };
  }
  return { status: 200, body: await goOn(deps, input, flow, consent) };
});

function goOn(deps: RedirectDeps, input: Redirect, flow: PlatformFlowRow, consent: ConfBConsent) {
  const { error, code, tenant, admin_consent: given } = input.body;
  if (error !== undefined) {
    return denied(error === 'access_denied' ? 'consent_denied' : 'provider_error');
  }
  if (hasConsent(flow))
    return code ? signedIn(deps, input, flow, consent) : denied('provider_error');
  const named = readTenant(tenant ?? '');
  if (given?.toLowerCase() !== 'true' || named === null) return denied('provider_error');
  return signIn(deps, input, { ...flow, external_id: named }, consent);
}

const hasConsent = (flow: PlatformFlowRow): flow is ConsentedFlow =>
  flow.external_id !== null && flow.secrets_sealed !== null;

const placeOf = ({ account_id, flow_id }: PlatformFlowRow) =>
  [accountOwner(account_id), `platform_flows|secrets|${flow_id}`] as const;

/** The redirect may name any organization, so the administrator must sign in there. */
async function signIn(
  { db, ids, sealer }: RedirectDeps,
  { call }: Redirect,
  flow: PlatformFlowRow & { readonly external_id: string },
  consent: ConfBConsent,
) {
  const { state, ...challenge } = newChallenge(ids);
  const { external_id } = flow;
  // Requested before anything is stored, so that an unavailable platform leaves no flow.
  const authorize_url = await consent.signInUrl(external_id, { state, ...challenge });
  const expires_at = new Date(call.now.getTime() + consentStepMs);
  await addPlatformFlow(db, {
    ...flow,
    state_hash: hashOfToken(state),
    secrets_sealed: await sealChallenge(sealer, placeOf(flow), challenge),
    created_at: call.now,
    expires_at,
  });
  return {
    status: 'sign_in_required',
    reason: null,
    external_id,
    authorize_url,
    expires_at: expires_at.toISOString(),
  } as const;
}

async function signedIn(
  deps: RedirectDeps,
  input: Redirect,
  flow: ConsentedFlow,
  consent: ConfBConsent,
) {
  const { sealer } = deps;
  const { account_id, external_id } = flow;
  const { code = '', iss = null } = input.body;
  const challenge = await openChallenge(sealer, placeOf(flow), flow.secrets_sealed);
  const denial = await consent.exchange(external_id, { ...challenge, code, iss });
  if (denial) return denied(denial);
  const row = {
    platform: 'conf-b',
    external_id,
    account_id,
    connected_by: callerName(input.caller),
    connected_at: input.call.now,
  };
  const isConnected = await withAccountTransaction(
    deps,
    input,
    account_id,
    async ({ tx, note }) => {
      if (!(await connectPlatformAccount(tx, row))) return false;
      await note('conf_b.connected', external_id, {});
      return true;
    },
  );
  return isConnected
    ? ({ ...nothing, status: 'connected', external_id } as const)
    : denied('connected_elsewhere');
}
