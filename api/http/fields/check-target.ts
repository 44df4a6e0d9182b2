import { isAllowedTarget, leadsInside } from '../../../activities/vendors/guard.ts';
import { Failure } from '../../../workflows/failures.ts';
import type { Deps } from '../../deps.ts';
import { isSafeUrl } from './fields.ts';

/**
 * Checks an address of a third party that the service is to call. In production it also resolves
 * the host name, so that the caller learns of a private address at once.
 * @param member the body member that has the address
 * @throws Failure `forbidden_target`
 */
export async function checkTarget(
  { settings, outside }: Pick<Deps, 'settings' | 'outside'>,
  url: string,
  member: string,
): Promise<void> {
  const { isDevelopment } = settings;
  const isFine = isSafeUrl(url) && isAllowedTarget(url, isDevelopment);
  if (!isFine || (!isDevelopment && (await leadsInside(url, outside.lookUp)))) {
    throw new Failure('forbidden_target', { extra: { loc: ['body', member] } });
  }
}
