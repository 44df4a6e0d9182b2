import { WorkflowUpdateFailedError } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { expect, it } from 'vitest';
import { failureOf } from '../../api/temporal.ts';
import { Failure } from '../../workflows/failures.ts';

/** What an update ends with when its workflow, or the server, refuses it. */
const refusal = (type: string): WorkflowUpdateFailedError =>
  new WorkflowUpdateFailedError('Workflow Update failed', ApplicationFailure.create({ type }));

it.each([
  ['a code of ours', 'consent_required', 'consent_required'],
  ['a decision that came first', 'AcceptedUpdateCompletedWorkflow', 'invalid_state'],
  ['the task that ended the workflow', 'UnprocessedUpdate', 'dependency_unavailable'],
])('an update refused by %s is a failure of ours', (_by, type, code) => {
  const failure = failureOf(refusal(type));
  expect(failure).toBeInstanceOf(Failure);
  expect(failure).toMatchObject({ code });
});

it('an update refused by anything else is a fault', () => {
  const error = refusal('SomethingElse');
  expect(failureOf(error)).toBe(error);
});
