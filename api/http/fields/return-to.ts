import type { AppRow } from '../../../db/queries/credentials.ts';
import { Failure } from '../../../workflows/failures.ts';
import { settingHint } from './app-settings.ts';
import { isPlainUrl } from './fields.ts';

/** Where an app leads people: the origins it allows, and that of its own redirect. */
export function originsOf(app: Pick<AppRow, 'allowed_origins' | 'redirect_url'>): string[] {
  const own = app.redirect_url === null ? null : URL.parse(app.redirect_url);
  return own ? [...app.allowed_origins, own.origin] : app.allowed_origins;
}

/** Whether an address is of one of the origins, letter for letter. */
export function leadsTo(address: string, origins: readonly string[]): boolean {
  return isPlainUrl(address) && origins.includes(new URL(address).origin);
}

/**
 * Holds an address a caller wants somebody led to against the origins that are known. Any other
 * would make us an open redirector (ASVS 3.7.2).
 * @param loc where in the request the address came
 * @throws `forbidden_target`
 */
export function assertAllowedOrigin(
  address: string,
  origins: readonly string[],
  loc: readonly [part: 'body' | 'query', name: string] = ['body', 'return_to'],
): void {
  if (leadsTo(address, origins)) return;
  const detail = `The origin of this address is not allowed. ${settingHint('allowed_origins')}`;
  throw new Failure('forbidden_target', { detail, extra: { loc } });
}
