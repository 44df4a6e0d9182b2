import { Failure } from '../../../workflows/failures.ts';

/**
 * Returns the failure for an invalid response of a provider. It is a 503, because such a response
 * does not show that the token is bad.
 */
export function providerError(why: string): Failure {
  const cause = new Error(`sign-in provider: ${why}`);
  return new Failure('dependency_unavailable', { cause, retryAfterSeconds: 5 });
}

/**
 * Awaits a request to a provider.
 * @throws Failure `dependency_unavailable` in place of an error of the client
 */
export async function withProviderErrors<T>(request: Promise<T>): Promise<T> {
  try {
    return await request;
  } catch (error) {
    throw failureOf(error);
  }
}

/** Keeps only the code of the client's error, because its message can quote tokens. */
export function failureOf(error: unknown): Failure {
  return failureIn(error) ?? providerError(codeOf(error));
}

/** Returns the `Failure` in the chain of causes, or null if there is none. */
function failureIn(error: unknown): Failure | null {
  if (error instanceof Failure) return error;
  return error instanceof Error && error.cause !== undefined ? failureIn(error.cause) : null;
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'not understood';
}
