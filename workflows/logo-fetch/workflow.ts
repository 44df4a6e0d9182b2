import { proxyActivities } from '@temporalio/workflow';
import type { LogoActivities } from '../../activities/links/logos/activities.ts';
import { quickRetry } from '../proxies.ts';
import type { LogoAnswer, LogoRequest } from './messages.ts';

/** The API cancels the workflow when it stops waiting for it. */
const { fetchLogo } = proxyActivities<LogoActivities>({
  startToCloseTimeout: '10s',
  retry: quickRetry,
  summary: 'fetch an image and encode it again',
});

/**
 * Fetches the logo of an app for the API, which does not decode images.
 * docs/decisions/019-pages.md
 */
export async function logoFetch(request: LogoRequest): Promise<LogoAnswer> {
  return fetchLogo(request);
}
