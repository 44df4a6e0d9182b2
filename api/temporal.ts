import {
  type Client,
  Connection,
  isGrpcServiceError,
  ServiceError,
  type TLSConfig,
  WithStartWorkflowOperation,
  WorkflowFailedError,
  WorkflowUpdateFailedError,
  WorkflowUpdateRPCTimeoutOrCancelledError,
  type QueryDefinition,
  type UpdateDefinition,
  type Workflow,
  type WorkflowIdConflictPolicy,
  type WorkflowResultType,
  type WorkflowStartOptions,
} from '@temporalio/client';
import { ActivityFailure, ApplicationFailure, TimeoutFailure } from '@temporalio/common';
import { Failure, isFailureCode } from '../workflows/failures.ts';

const connectMsMax = 3_000;
const retryAfterSeconds = 2;
const reconnectMsMax = 2_000;
/**
 * gRPC UNAVAILABLE, DEADLINE_EXCEEDED, RESOURCE_EXHAUSTED, CANCELLED, and FAILED_PRECONDITION: a
 * workflow task has just failed and will be retried.
 */
const unavailableCodes = new Set([14, 4, 8, 1, 9]);
const notFoundCode = 5;
/** The workflow does not exist, or it has ended and cannot be restarted. */
const endedErrors = new Set(['WorkflowNotFoundError', 'WorkflowExecutionAlreadyStartedError']);

type UniqueStart = WorkflowStartOptions<Workflow> & {
  workflowId: string;
  workflowIdConflictPolicy: WorkflowIdConflictPolicy;
};

/** The calls of the API to Temporal: start with an update, update, query, start. */
export interface Temporal {
  readonly client: Client;
  startWithUpdate<Result, Args extends [unknown, ...unknown[]]>(
    workflow: string,
    start: UniqueStart,
    update: UpdateDefinition<Result, Args>,
    args: Args,
    updateId: string,
  ): Promise<Result>;
  update<Result, Args extends [unknown, ...unknown[]]>(
    workflowId: string,
    update: UpdateDefinition<Result, Args>,
    args: Args,
    updateId: string,
  ): Promise<Result>;
  query<Result>(workflowId: string, query: QueryDefinition<Result, []>): Promise<Result>;
  start(workflow: string, options: WorkflowStartOptions<Workflow>): Promise<void>;
  /**
   * Starts a workflow and waits for its result. The server ends the workflow when the wait is over,
   * so that it does no work for a caller who got a 503.
   * @param waitMsMin minimum wait, for work that takes longer than a usual call
   */
  run<Work extends Workflow>(
    workflow: string,
    options: WorkflowStartOptions<Work>,
    waitMsMin?: number,
  ): Promise<WorkflowResultType<Work>>;
}

/**
 * Wraps a client so that its errors become a `Failure`. Every call ends within `callMsMax`; after
 * that the caller gets a 503.
 */
export function createTemporal(client: Client, callMsMax: number): Temporal {
  const bounded = async <T>(work: () => Promise<T>, msMax = callMsMax): Promise<T> => {
    try {
      return await client.withDeadline(Date.now() + msMax, work);
    } catch (error) {
      throw failureOf(error);
    }
  };
  return {
    client,
    startWithUpdate: (workflow, start, update, args, updateId) =>
      bounded(() =>
        client.workflow.executeUpdateWithStart(update, {
          startWorkflowOperation: new WithStartWorkflowOperation(workflow, start),
          args,
          updateId,
        }),
      ),
    update: (workflowId, update, args, updateId) =>
      bounded(() =>
        client.workflow.getHandle(workflowId).executeUpdate(update, { args, updateId }),
      ),
    query: (workflowId, query) => bounded(() => client.workflow.getHandle(workflowId).query(query)),
    start: (workflow, options) =>
      bounded(async () => {
        await client.workflow.start(workflow, options);
      }),
    run: (workflow, options, waitMsMin = 0) => {
      const workflowExecutionTimeout = Math.max(callMsMax, waitMsMin);
      const work = () =>
        client.workflow.execute(workflow, { ...options, workflowExecutionTimeout });
      return bounded(work, workflowExecutionTimeout);
    },
  };
}

/**
 * Connects lazily: the API starts and serves reads while Temporal is unavailable. It reconnects
 * within two seconds after any outage; by default gRPC waits up to two minutes.
 */
export function connectTemporal(address: string, tls: TLSConfig | undefined): Connection {
  return Connection.lazy({
    address,
    ...(tls && { tls }),
    connectTimeout: connectMsMax,
    channelArgs: {
      'grpc.initial_reconnect_backoff_ms': 250,
      'grpc.max_reconnect_backoff_ms': reconnectMsMax,
    },
  });
}

/**
 * Maps an error of Temporal to a failure, and returns the failure of a validator or of a workflow's
 * activity. Returns any other error unchanged.
 */
export function failureOf(error: unknown): unknown {
  if (error instanceof WorkflowFailedError) return failureOfRun(error);
  if (error instanceof WorkflowUpdateFailedError && error.cause instanceof ApplicationFailure) {
    const code = error.cause.type ?? '';
    if (isFailureCode(code)) {
      return new Failure(code, { detail: error.cause.message, cause: error });
    }
    // The check was decided while this step waited, so the step came too late.
    if (code === 'AcceptedUpdateCompletedWorkflow') {
      return new Failure('invalid_state', { cause: error });
    }
    // The update arrived with the task that ended the workflow, so the workflow did not process it.
    if (code === 'UnprocessedUpdate') return unavailable(error);
  }
  if (error instanceof WorkflowUpdateRPCTimeoutOrCancelledError) return unavailable(error);
  // Start and signal errors wrap the gRPC error; update errors do not.
  if (error instanceof ServiceError && isGrpcServiceError(error.cause)) {
    return failureOf(error.cause);
  }
  if (isGrpcServiceError(error)) {
    if (error.code === notFoundCode) return new Failure('invalid_state', { cause: error });
    if (unavailableCodes.has(error.code)) return unavailable(error);
  }
  if (error instanceof Error && endedErrors.has(error.name)) {
    return new Failure('invalid_state', { cause: error });
  }
  if (error instanceof Error && /deadline|unavailable|connect/i.test(error.message)) {
    return unavailable(error);
  }
  return error;
}

function failureOfRun(error: WorkflowFailedError): unknown {
  const cause = rootCause(error.cause);
  if (cause instanceof TimeoutFailure) return unavailable(error);
  const code = cause instanceof ApplicationFailure ? (cause.type ?? '') : '';
  return isFailureCode(code) ? new Failure(code, { cause: error }) : error;
}

/** An activity's failure wraps its cause. */
function rootCause(error: Error | undefined): Error | undefined {
  return error instanceof ActivityFailure ? error.cause : error;
}

function unavailable(cause: unknown): Failure {
  return new Failure('dependency_unavailable', { cause, retryAfterSeconds });
}
