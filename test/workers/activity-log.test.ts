import { expect, it } from 'vitest';
import { createLogger } from '../../activities/runtime/log.ts';
import { runningActivity } from '../../workers/activity-log.ts';
import { activityEnvironment } from '../support/activity-environment.ts';

it('names the workflow, the activity and the attempt in each line of an activity', async () => {
  const lines: Record<string, unknown>[] = [];
  const to = { write: (line: string) => void lines.push(JSON.parse(line)) };
  const log = createLogger('worker', 'info', { to, members: runningActivity });
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
  expect(Object.keys(names).filter((name) => name in (lines[1] ?? {}))).toEqual([]);
});
