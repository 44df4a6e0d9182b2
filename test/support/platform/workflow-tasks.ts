import { Client, Connection } from '@temporalio/client';
import proto from '@temporalio/proto';

const { EventType, TaskQueueKind, WorkflowTaskFailedCause } = proto.temporal.api.enums.v1;

/** Statistics about the tasks of one workflow, from its history. */
export interface WorkflowTasks {
  readonly workflowId: string;
  readonly count: number;
  /** Tasks that should continue from the cache instead of replaying the whole history. */
  readonly sticky: number;
  /** Causes of failed tasks. */
  readonly failures: readonly string[];
}

/** Reads the tasks of every workflow of a server, or of those that a query selects. */
export async function readWorkflowTasks(address: string, query?: string): Promise<WorkflowTasks[]> {
  const connection = await Connection.connect({ address });
  try {
    const { workflow } = new Client({ connection });
    const read: WorkflowTasks[] = [];
    for await (const { workflowId, runId } of listRuns(connection, query)) {
      const { events } = await workflow.getHandle(workflowId, runId).fetchHistory();
      read.push({ workflowId, ...tasksOf(events ?? []) });
    }
    return read;
  } finally {
    await connection.close();
  }
}

/**
 * Lists every run of a server, or those that a query selects. It avoids `workflow.list`, which
 * decodes memos, because they are sealed.
 */
export async function* listRuns(
  { workflowService }: Connection,
  query = '',
): AsyncGenerator<{ readonly workflowId: string; readonly runId: string }> {
  let nextPageToken = new Uint8Array();
  do {
    const asked = { namespace: 'default', query, nextPageToken };
    const page = await workflowService.listWorkflowExecutions(asked);
    for (const { execution } of page.executions) {
      const { workflowId, runId } = execution ?? {};
      if (!workflowId || !runId) throw new Error('a workflow without a name');
      yield { workflowId, runId };
    }
    nextPageToken = new Uint8Array(page.nextPageToken);
  } while (nextPageToken.length > 0);
}

function tasksOf(
  events: readonly proto.temporal.api.history.v1.IHistoryEvent[],
): Omit<WorkflowTasks, 'workflowId'> {
  const scheduled = events.filter(
    ({ eventType }) => eventType === EventType.EVENT_TYPE_WORKFLOW_TASK_SCHEDULED,
  );
  const sticky = scheduled.filter(
    ({ workflowTaskScheduledEventAttributes: task }) =>
      task?.taskQueue?.kind === TaskQueueKind.TASK_QUEUE_KIND_STICKY,
  );
  const failures = events.flatMap(({ workflowTaskFailedEventAttributes: failed }) =>
    failed ? [`${WorkflowTaskFailedCause[failed.cause ?? 0]}: ${failed.failure?.message}`] : [],
  );
  return { count: scheduled.length, sticky: sticky.length, failures };
}
