import { WorkflowFailedError, WorkflowUpdateFailedError } from '@temporalio/client';
import {
  ActivityFailure,
  ApplicationFailure,
  RetryState,
  TimeoutFailure,
  TimeoutType,
} from '@temporalio/common';
import { expect, it } from 'vitest';
import { failureOf } from '../../../api/temporal.ts';
import { Failure } from '../../../workflows/failures.ts';

/** The error of an update that its workflow or the server refuses. */
const refusal = (type: string): WorkflowUpdateFailedError =>
  new WorkflowUpdateFailedError('Workflow Update failed', ApplicationFailure.create({ type }));

it.each([
  ['one of our codes', 'consent_required', 'consent_required'],
  ['a decision that was made first', 'AcceptedUpdateCompletedWorkflow', 'invalid_state'],
  ['the task that ended the workflow', 'UnprocessedUpdate', 'dependency_unavailable'],
])('an update refused by %s becomes a Failure', (_by, type, code) => {
  const failure = failureOf(refusal(type));
  expect(failure).toBeInstanceOf(Failure);
  expect(failure).toMatchObject({ code });
});

it('an update refused for any other reason keeps its error', () => {
  const error = refusal('SomethingElse');
  expect(failureOf(error)).toBe(error);
});

/** The error of a workflow after its activity failed with this cause. */
const failedRun = (cause: Error): WorkflowFailedError => {
  const retry = RetryState.NON_RETRYABLE_FAILURE;
  const activity = new ActivityFailure('failed', 'sign', '1', retry, 'worker', cause);
  return new WorkflowFailedError('Workflow execution failed', activity, retry);
};

it.each([
  ['one of our codes', ApplicationFailure.create({ type: 'key_refused' }), 'key_refused'],
  [
    'its timeout',
    new TimeoutFailure('late', undefined, TimeoutType.SCHEDULE_TO_CLOSE),
    'dependency_unavailable',
  ],
])('a workflow that failed with %s becomes a Failure', (_by, cause, code) => {
  expect(failureOf(failedRun(cause))).toMatchObject({ name: 'Failure', code });
});

it('a workflow that failed for any other reason keeps its error', () => {
  const error = failedRun(ApplicationFailure.create({ type: 'SomethingElse' }));
  expect(failureOf(error)).toBe(error);
});
