import { Failure } from '../../workflows/failures.ts';

/** An issuer that answers what it must not cannot be asked: that says nothing of a token. */
export function misled(why: string): Failure {
  const cause = new Error(`sign-in provider: ${why}`);
  return new Failure('dependency_unavailable', { cause, retryAfterSeconds: 5 });
}

/** What was asked for, or the failure that says it was not answered. */
export async function answered<T>(asking: Promise<T>): Promise<T> {
  try {
    return await asking;
  } catch (error) {
    throw failureOf(error);
  }
}

/** What the client throws can quote tokens and bodies: of its faults the code alone is kept. */
export function failureOf(error: unknown): Failure {
  return failureIn(error) ?? misled(codeOf(error));
}

/** The failure that the client has wrapped as a cause, if one of ours is in there. */
function failureIn(error: unknown): Failure | null {
  if (error instanceof Failure) return error;
  return error instanceof Error && error.cause !== undefined ? failureIn(error.cause) : null;
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'not understood';
}
