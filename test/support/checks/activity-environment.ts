import type { Info } from '@temporalio/activity';
import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';
import { interceptors } from '../../../workers/interceptors.ts';

/** The context of one activity, with the interceptors of every worker. */
export function activityEnvironment(
  info: Partial<Info> = {},
  logger = new DefaultLogger('ERROR'),
): MockActivityEnvironment {
  const { activity = [] } = interceptors;
  return new MockActivityEnvironment(info, { interceptors: activity, logger });
}

/** Cancels the activity. Rejects like the request or thread that this aborts. */
export function abortedIn(environment: MockActivityEnvironment): Promise<never> {
  environment.cancel();
  return Promise.reject(new DOMException('This operation was aborted', 'AbortError'));
}
