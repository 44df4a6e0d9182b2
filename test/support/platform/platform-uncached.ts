import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import type { PlatformFacts } from './harness.ts';
import { providePlatform } from './platform.ts';
import { readWorkflowTasks } from './workflow-tasks.ts';

/** The SDK's message when it gave up a workflow that waited for one of its own steps. */
const lostStep = /local activit|SDK bug/i;

/**
 * Starts the platform with a worker that caches no workflow. Every task replays its workflow from
 * the start, so nondeterministic code fails its task.
 */
export function setup(project: TestProject): Promise<() => Promise<void>> {
  return providePlatform(project, { WORKFLOWS_CACHED_MAX: '0' }, expectReplayed);
}

/** @throws an error that lists every workflow task of the run that failed or was not a replay */
async function expectReplayed({ temporalAddress, dataDir }: PlatformFacts): Promise<void> {
  const workflows = await readWorkflowTasks(temporalAddress);
  const log = await readFile(join(dataDir, 'logs', 'worker.log'), 'utf8');
  const faults = [
    ...(workflows.some(({ count }) => count > 1) ? [] : ['no workflow had a task to replay']),
    ...workflows.flatMap(({ workflowId, failures }) =>
      failures.map((failure) => `${workflowId}: ${failure}`),
    ),
    ...workflows
      .filter(({ sticky }) => sticky > 0)
      .map(({ workflowId, sticky }) => `${workflowId}: ${sticky} tasks went on from memory`),
    ...log.split('\n').filter((line) => lostStep.test(line)),
  ];
  if (faults.length > 0) throw new Error(`without a cache:\n${faults.join('\n')}`);
}
