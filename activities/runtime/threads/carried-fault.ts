import { Failure, type FailureCode } from '../../../workflows/failures.ts';

/** An error as threads pass it on. Structured cloning of an error keeps little but its message. */
export interface CarriedFault {
  readonly name: string;
  readonly message: string;
  readonly stack: string;
  /** The `code` of the error, for instance of a system error. */
  readonly code?: string;
  readonly syscall?: string;
  readonly failure?: {
    readonly code: FailureCode;
    readonly retryAfterSeconds?: number;
  };
  readonly cause?: CarriedFault;
}

const causesMax = 5;

/** Packs an error with its causes. Other thrown values become text. */
export function packed(error: unknown, causesLeft = causesMax): CarriedFault {
  if (!(error instanceof Error)) return { name: 'Error', message: String(error), stack: '' };
  const { name, message, stack = '', cause } = error;
  return {
    name,
    message,
    stack,
    ...textOf(error, 'code'),
    ...textOf(error, 'syscall'),
    ...(error instanceof Failure ? { failure: failureOf(error) } : {}),
    ...(cause === undefined || causesLeft === 0 ? {} : { cause: packed(cause, causesLeft - 1) }),
  };
}

/** Restores the error: a `Failure` with its code, or an error with its original name. */
export function unpacked(fault: CarriedFault): Error {
  const { name, message, stack, code, syscall, failure } = fault;
  const cause = fault.cause && unpacked(fault.cause);
  const error = failure
    ? new Failure(failure.code, { ...failure, detail: message, cause })
    : Object.assign(new Error(message, { cause }), { name }, code && { code });
  return Object.assign(error, { stack }, syscall && { syscall });
}

const failureOf = ({ code, retryAfterSeconds }: Failure) => ({
  code,
  ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
});

function textOf(error: Error, key: 'code' | 'syscall'): Readonly<Record<string, string>> {
  const value: unknown = Object(error)[key];
  return typeof value === 'string' ? { [key]: value } : {};
}
