import { Failure } from '../workflows/failures.ts';
import { isPlainUrl } from './links/fields.ts';

/**
 * Holds an address a caller wants somebody led to against the origins that are known: one of them,
 * letter for letter. Any other would make us an open redirector (ASVS 3.7.2).
 * @param part of the request the address came in
 * @throws `forbidden_target`
 */
export function mustLeadTo(
  returnTo: string,
  origins: readonly string[],
  part: 'body' | 'query' = 'body',
): void {
  if (!isPlainUrl(returnTo) || !origins.includes(new URL(returnTo).origin)) {
    throw new Failure('forbidden_target', { extra: { loc: [part, 'return_to'] } });
  }
}
