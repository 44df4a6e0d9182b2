import type { Failure, FailureCode } from '../../../../workflows/failures.ts';

/**
 * What a call may be refused with that carries an `attest` header; every such contract names them.
 */
export const attestFaults = [
  'app_id_mismatch',
  'attest_malformed',
  'attest_nonce_required',
  'attestation_refused',
  'body_mismatch',
  'category_refused',
  'counter_replay',
  'device_revoked',
  'request_mismatch',
  'signature_invalid',
] as const satisfies readonly FailureCode[];
export type AttestFault = (typeof attestFaults)[number];

/** Why a device was not believed, as metrics count it; null for any other fault. */
export function refusalReasonOf({ code, extra }: Failure): string | null {
  if (!attestFaults.some((known) => known === code)) return null;
  const { reason_code: reason } = extra;
  return typeof reason === 'string' ? reason : code;
}
