import type { AppRow } from '../../../db/queries/credentials.ts';
import { Failure } from '../../../workflows/failures.ts';
import { settingHint } from './app-settings.ts';
import { isPlainUrl } from './fields.ts';

/**
 * Returns the origins an app may redirect people to: those it allows, and that of its redirect URL.
 */
export function originsOf(app: Pick<AppRow, 'allowed_origins' | 'redirect_url'>): string[] {
  const own = app.redirect_url === null ? null : URL.parse(app.redirect_url);
  return own ? [...app.allowed_origins, own.origin] : app.allowed_origins;
}

/** Whether the origin of an address is in the list. */
export function leadsTo(address: string, origins: readonly string[]): boolean {
  return isPlainUrl(address) && origins.includes(new URL(address).origin);
}

/**
 * Requires that the origin of a redirect address is in the list. Any other address would make the
 * service an open redirector (ASVS 3.7.2).
 * @param loc place of the address in the request
 * @throws Failure `forbidden_target`
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
