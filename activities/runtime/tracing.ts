import {
  context,
  propagation,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  type Tracer,
} from '@opentelemetry/api';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  AlwaysOffSampler,
  BatchSpanProcessor,
  NoopSpanProcessor,
  type SpanProcessor,
} from '@opentelemetry/sdk-trace-base';
import { NodeTracerProvider } from '@opentelemetry/sdk-trace-node';
import { OpenTelemetryPlugin } from '@temporalio/interceptors-opentelemetry-v2';

/**
 * Tracing of one process. The plugin belongs to every client, bundle and worker whether or not
 * spans are exported: histories written with and without it do not replay into each other.
 */
export async function createTracing(service: string, endpoint: string | undefined) {
  const resource = resourceFromAttributes({ 'service.name': service });
  const spanProcessor = endpoint ? await exporting(endpoint) : new NoopSpanProcessor();
  const provider = new NodeTracerProvider({
    resource,
    spanProcessors: [spanProcessor],
    // What nobody receives is not recorded; the workflow's own spans follow their parent in this.
    ...(endpoint ? {} : { sampler: new AlwaysOffSampler() }),
  });
  provider.register();
  return {
    plugin: new OpenTelemetryPlugin({ resource, spanProcessor }),
    serve: endpoint ? serving(provider.getTracer(service)) : untraced,
    stop: () => provider.shutdown(),
  };
}

/** Three hundred modules are loaded only where somebody receives what they send. */
async function exporting(endpoint: string): Promise<SpanProcessor> {
  const { OTLPTraceExporter } = await import('@opentelemetry/exporter-trace-otlp-http');
  return new BatchSpanProcessor(new OTLPTraceExporter({ url: `${endpoint}/v1/traces` }));
}

/**
 * Answers a call within a span of its own, which goes on with the trace its `traceparent` names
 * (W3C Trace Context §3.2). Nothing else of the caller's context goes on: baggage and vendor state
 * are free text, and headers of workflows stand in their histories unencrypted. `work` gives the
 * status of the answer.
 */
export type Serve = (
  call: { readonly method: string; readonly route: string; readonly traceparent: unknown },
  work: () => Promise<number>,
) => Promise<void>;

/** What nobody receives costs nothing. */
const untraced: Serve = async (_call, work) => void (await work());

function serving(tracer: Tracer): Serve {
  return ({ method, route, traceparent }, work) =>
    tracer.startActiveSpan(
      `${method} ${route}`,
      {
        kind: SpanKind.SERVER,
        attributes: { 'http.request.method': method, 'http.route': route },
      },
      propagation.extract(ROOT_CONTEXT, { traceparent }),
      async (span) => {
        try {
          const status = await work();
          span.setAttribute('http.response.status_code', status);
          if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
        } finally {
          span.end();
        }
      },
    );
}

/** Takes up work from a table in the trace of what put it there. */
export function continuing<T>(traceparent: string | null, work: () => Promise<T>): Promise<T> {
  if (traceparent === null) return work();
  return context.with(propagation.extract(ROOT_CONTEXT, { traceparent }), work);
}
