import { ApplicationFailure } from '@temporalio/workflow';
import type { FailureCode } from './failures.ts';

/** Refuses an update with a code the API knows; the text may be shown to the caller. */
export function refuse(code: FailureCode, detail: string = code): never {
  throw ApplicationFailure.create({ type: code, message: detail, nonRetryable: true });
}
