import type { FailureCode } from '../../workflows/failures.ts';
import { readsCredential } from './auth/authenticate.ts';
import { keyModeErrors } from './auth/authorize.ts';
import { keyLimitErrors } from './auth/scopes.ts';
import { dpopFaults, readsProof } from './auth/dpop/prove-key.ts';
import type { Contract } from './contract.ts';
import { readsBody, refusesBody } from './parse/body.ts';

const credentialErrors = [
  'credential_ambiguous',
  'credential_expired',
  'credential_invalid',
  'credential_malformed',
] as const;

/**
 * Returns the failures of a row that follow from its declaration instead of its handler: those that
 * `mount` raises for its credentials, person, role, body, limit, idempotency and attestation. A
 * row's own `errors` need not repeat them; the documents show both.
 */
export function impliedErrors(contract: Contract): FailureCode[] {
  const { auth } = contract;
  const isOpen = auth.includes('public') || auth.includes('cookie-nonce');
  const isPublic = contract.auth.every((kind) => kind === 'public');
  const asksNothing = Object.keys(contract.request).length === 0 && !contract.limit;
  return [
    'unknown_version',
    // No object has NUL in its id.
    ...(contract.request.path ? (['not_found'] as const) : []),
    ...(readsCredential(auth) ? credentialErrors : []),
    ...(readsCredential(auth) && !isOpen ? (['credential_missing'] as const) : []),
    // Documents and health checks are answered from memory; everything else needs the database.
    ...(isPublic && asksNothing ? [] : (['dependency_unavailable'] as const)),
    ...(readsBody(contract)
      ? (['body_timeout', 'media_type_unsupported', 'too_large'] as const)
      : []),
    ...(refusesBody(contract) ? (['body_timeout', 'body_unexpected'] as const) : []),
    ...(contract.role ? (['role_required'] as const) : []),
    ...(contract.actsFor ? (['own_sign_in_required'] as const) : []),
    ...(contract.assurance ? (['step_up_required'] as const) : []),
    ...keyModeErrors(contract),
    ...keyLimitErrors(contract),
    ...(contract.limit ? (['rate_limited'] as const) : []),
    ...(contract.idempotent
      ? (['idempotency_in_progress', 'idempotency_key_invalid', 'idempotency_mismatch'] as const)
      : []),
    ...(readsProof(contract) ? dpopFaults : []),
    ...(contract.attest
      ? (['attest_malformed', 'attest_nonce_required', 'attestation_refused'] as const)
      : []),
  ];
}

/** Returns every failure of a row, its own and the implied ones, without duplicates and sorted. */
export function errorsOf(contract: Contract): FailureCode[] {
  return [...new Set([...contract.errors, ...impliedErrors(contract)])].sort();
}
