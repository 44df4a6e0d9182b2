import { proxyActivities } from '@temporalio/workflow';
import type { LogoActivities } from '../../activities/links/logos/activities.ts';
import { quickRetry } from '../proxies.ts';
import type { LogoAnswer, LogoRequest } from './messages.ts';

/** The API ends the workflow when it no longer waits. */
const { fetchLogo } = proxyActivities<LogoActivities>({
  startToCloseTimeout: '10s',
  retry: quickRetry,
  summary: 'fetch an image and encode it again',
});

/**
 * Fetches the logo of an app for the API, which decodes no image.
 * docs/decisions/019-pages.md
 */
export async function logoFetch(request: LogoRequest): Promise<LogoAnswer> {
  return fetchLogo(request);
}
