import { proxyLocalActivities, setCurrentDetails } from '@temporalio/workflow';
import type { SigningActivities } from '../../activities/keys/signing/activities.ts';
import { quickRetry } from '../proxies.ts';
import type { SigningAnswer, SigningRequest } from './messages.ts';

/** The API waits at most `TEMPORAL_CALL_SECONDS`, which is a minute or less. */
const { sign } = proxyLocalActivities<SigningActivities>({
  startToCloseTimeout: '10s',
  scheduleToCloseTimeout: '60s',
  localRetryThreshold: '30s',
  retry: quickRetry,
});

/**
 * Signs one object for the API, which has no key of a CA or of the time-stamping authority.
 * docs/decisions/010-private-keys.md
 */
export async function signing(request: SigningRequest): Promise<SigningAnswer> {
  setCurrentDetails(`**${request.kind}**`);
  return sign(request);
}
