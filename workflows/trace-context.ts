import { AsyncLocalStorage } from '@temporalio/workflow';
import type { Headers, WorkflowInterceptors } from '@temporalio/workflow';

/** The header in which the tracing of clients and activities carries its context (W3C, as JSON). */
const traceHeader = '_tracer-data';

type TracePayload = Headers[string];
const carried = new AsyncLocalStorage<TracePayload>();

/**
 * Hands the trace of whoever called on to the steps that the call leads to, unread: one trace goes
 * from the request through the workflow to its activities. No spans are made in here and no
 * promise is added, so that traced and untraced histories are the same.
 */
export function interceptors(): WorkflowInterceptors {
  return {
    inbound: [
      {
        execute: (input, next) => within(input.headers, () => next(input)),
        handleUpdate: (input, next) => within(input.headers, () => next(input)),
        handleSignal: (input, next) => within(input.headers, () => next(input)),
      },
    ],
    outbound: [
      {
        scheduleActivity: (input, next) => next({ ...input, headers: traced(input.headers) }),
        scheduleLocalActivity: (input, next) => next({ ...input, headers: traced(input.headers) }),
      },
    ],
  };
}

function within<T>(headers: Headers, work: () => T): T {
  const trace = headers[traceHeader];
  return trace ? carried.run(trace, work) : work();
}

function traced(headers: Headers): Headers {
  const trace = carried.getStore();
  return trace ? { ...headers, [traceHeader]: trace } : headers;
}
