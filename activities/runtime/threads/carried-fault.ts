import { Failure, type FailureCode } from '../../../workflows/failures.ts';

/** A fault on its way from one thread to another: copying an error drops all but its message. */
export interface CarriedFault {
  readonly name: string;
  readonly message: string;
  readonly stack: string;
  /** Of a `Failure` its code; of an error of the system what it says. */
  readonly code?: string;
  readonly syscall?: string;
  readonly failure?: {
    readonly code: FailureCode;
    readonly retryAfterSeconds?: number;
  };
  readonly cause?: CarriedFault;
}

const causesMax = 5;

/** Packs a fault with its causes; what is no error is told as text. */
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

/** The fault again: a `Failure` with its code, or an error with the name it had. */
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
