import type { Failure, FailureCode } from '../../../../workflows/failures.ts';

/** Failures that a request with an `attest` header can get. Every such contract declares them. */
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

/** Returns the metrics label of a refused device; null for any other failure. */
export function refusalReasonOf({ code, extra }: Failure): string | null {
  if (!attestFaults.some((known) => known === code)) return null;
  const { reason_code: reason } = extra;
  return typeof reason === 'string' ? reason : code;
}
