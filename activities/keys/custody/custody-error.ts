/**
 * What stands in the way of a key that is held outside of this process: nobody answers, the one who
 * asks may not, no such key, more than one, a key that cannot sign so, an answer that is wrong, or
 * nothing that says how to ask.
 */
export type CustodyFault =
  | 'unreachable'
  | 'denied'
  | 'absent'
  | 'ambiguous'
  | 'unusable'
  | 'mismatched'
  | 'unset';

/** The message names the key and what was said; never a PIN, a secret, or what was sent. */
export class CustodyError extends Error {
  override readonly name = 'CustodyError';
  readonly fault: CustodyFault;

  constructor(fault: CustodyFault, message: string) {
    super(message);
    this.fault = fault;
  }
}
