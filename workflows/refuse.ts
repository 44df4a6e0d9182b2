import { ApplicationFailure } from '@temporalio/workflow';
import type { FailureCode } from './failures.ts';

/** Rejects an update with a failure code of the API. `detail` may be shown to the caller. */
export function refuse(code: FailureCode, detail: string = code): never {
  throw ApplicationFailure.create({ type: code, message: detail, nonRetryable: true });
}
