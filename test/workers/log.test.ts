import { CancelledFailure } from '@temporalio/common';
import { describe, expect, it } from 'vitest';
import { createSdkLogger, createWorkerLog } from '../../workers/log.ts';
import { Failure } from '../../workflows/failures.ts';
import { activityEnvironment } from '../support/checks/activity-environment.ts';

function logged(level = 'info') {
  const lines: Record<string, unknown>[] = [];
  const to = { write: (line: string) => void lines.push(JSON.parse(line)) };
  return { lines, log: createWorkerLog(level, to) };
}

describe('the log of a worker', () => {
  it('names the workflow, the activity and the attempt in each line of an activity', async () => {
    const { lines, log } = logged();
    const environment = activityEnvironment({
      activityType: 'issueAffidavit',
      attempt: 3,
      workflowExecution: { workflowId: 'affidavit/aff_1', runId: 'run' },
    });
    await environment.run(async () => log.info({ affidavit_id: 'aff_1' }, 'sealed'));
    log.info('working');
    const names = { workflow_id: 'affidavit/aff_1', activity: 'issueAffidavit', attempt: 3 };
    expect(lines).toMatchObject([
      { msg: 'sealed', affidavit_id: 'aff_1', ...names },
      { msg: 'working' },
    ]);
    expect(Object.keys(lines[1] ?? {})).not.toEqual(expect.arrayContaining(Object.keys(names)));
  });

  it('contains the lines of the SDK in the same format, with secrets cut', () => {
    const { lines, log } = logged();
    const sdk = createSdkLogger(log);
    const cause = Object.assign(new Error('refused'), { detail: 'Key (email)=(anna@x.test)' });
    sdk.warn('Activity failed', {
      workflowId: 'affidavit/aff_1',
      activityType: 'issueAffidavit',
      taskToken: 'CiRh',
      token: 'a secret',
      durationMs: 7,
      error: new Failure('dependency_unavailable', { cause }),
    });
    sdk.debug('Activity started');
    expect(lines).toEqual([
      expect.objectContaining({
        level: 40,
        name: 'worker',
        msg: 'Activity failed',
        workflow_id: 'affidavit/aff_1',
        activity: 'issueAffidavit',
        duration_ms: 7,
        token: '[cut]',
        err: expect.objectContaining({ type: 'Failure', cause: expect.any(Object) }),
      }),
    ]);
    const text = JSON.stringify(lines);
    expect(['CiRh', 'a secret', 'anna@x.test'].filter((part) => text.includes(part))).toEqual([]);
  });

  it('contains the error of a canceled activity, which the server never sees', async () => {
    const { lines, log } = logged();
    const environment = activityEnvironment({}, createSdkLogger(log));
    const running = environment.run(async () => {
      environment.cancel();
      throw new TypeError('a fault of its own');
    });
    await expect(running).rejects.toBeInstanceOf(CancelledFailure);
    expect(lines).toContainEqual(
      expect.objectContaining({
        msg: 'canceled',
        err: expect.objectContaining({ type: 'TypeError', message: 'a fault of its own' }),
      }),
    );
  });

  it('contains the debug lines of the SDK at level debug', () => {
    const { lines, log } = logged('debug');
    createSdkLogger(log).debug('Activity started');
    expect(lines).toMatchObject([{ level: 20, msg: 'Activity started' }]);
  });
});
