import { context, isSpanContextValid, trace, TraceFlags } from '@opentelemetry/api';

/**
 * Where what is being done stands in its trace (W3C Trace Context §3.2), for work that another
 * process takes up from a table; null where nothing is traced.
 */
export function currentTraceparent(): string | null {
  const span = trace.getSpanContext(context.active());
  if (!span || !isSpanContextValid(span) || !(span.traceFlags & TraceFlags.SAMPLED)) return null;
  return `00-${span.traceId}-${span.spanId}-01`;
}
