import { context, isSpanContextValid, trace, TraceFlags } from '@opentelemetry/api';

/**
 * Returns the `traceparent` of the active span (W3C Trace Context §3.2), or null if the work is not
 * traced. It is stored in outbox rows, so that the process that picks the row up continues the
 * trace.
 */
export function currentTraceparent(): string | null {
  const span = trace.getSpanContext(context.active());
  if (!span || !isSpanContextValid(span) || !(span.traceFlags & TraceFlags.SAMPLED)) return null;
  return `00-${span.traceId}-${span.spanId}-01`;
}
