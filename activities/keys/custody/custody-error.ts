/**
 * Why a key outside of this process cannot be used: no answer, no permission, no such key, several
 * such keys, a key that cannot sign this way, a wrong answer, or missing settings.
 */
export type CustodyFault =
  | 'unreachable'
  | 'denied'
  | 'absent'
  | 'ambiguous'
  | 'unusable'
  | 'mismatched'
  | 'unset';

/** The message names the key and the error; never a PIN, a secret, or the request. */
export class CustodyError extends Error {
  override readonly name = 'CustodyError';
  readonly fault: CustodyFault;

  constructor(fault: CustodyFault, message: string) {
    super(message);
    this.fault = fault;
  }
}
