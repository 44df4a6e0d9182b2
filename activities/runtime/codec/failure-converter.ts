import { DefaultFailureConverter } from '@temporalio/common';

/**
 * Temporal loads this file by its path, in the worker's threads and in the client. The messages and
 * stack traces of failures go through the codec like every payload, because they can quote data.
 */
export const failureConverter = new DefaultFailureConverter({ encodeCommonAttributes: true });
