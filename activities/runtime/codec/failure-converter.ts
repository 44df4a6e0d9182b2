import { DefaultFailureConverter } from '@temporalio/common';

/**
 * Loaded by path, in the worker's threads and in the client: messages and stack traces of failures
 * go through the codec like every other payload, since they can quote what failed.
 */
export const failureConverter = new DefaultFailureConverter({ encodeCommonAttributes: true });
