import { isAllowedTarget, leadsInside } from '../../../activities/vendors/guard.ts';
import { Failure } from '../../../workflows/failures.ts';
import type { Deps } from '../../deps.ts';
import { isSafeUrl } from './fields.ts';

/**
 * An address of somebody else’s that we are to call. In production, what a name stands for is
 * judged, too: whoever gives it shall know at once.
 * @param member of the body it came in
 * @throws `forbidden_target`
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
