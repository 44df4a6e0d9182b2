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
 * Sets up tracing for one process. Every client, bundle and worker uses the plugin, even when no
 * spans are exported: a history written with the plugin does not replay without it, and vice versa.
 */
export async function createTracing(service: string, endpoint: string | undefined) {
  const resource = resourceFromAttributes({ 'service.name': service });
  const spanProcessor = endpoint ? await exporting(endpoint) : new NoopSpanProcessor();
  const provider = new NodeTracerProvider({
    resource,
    spanProcessors: [spanProcessor],
    // Spans without a receiver are not recorded. The workflow's own spans inherit this from their
    // parent.
    ...(endpoint ? {} : { sampler: new AlwaysOffSampler() }),
  });
  provider.register();
  return {
    plugin: new OpenTelemetryPlugin({ resource, spanProcessor }),
    serve: endpoint ? serving(provider.getTracer(service)) : untraced,
    stop: () => provider.shutdown(),
  };
}

/** Loads the exporter only when an endpoint is configured: it brings 300 modules. */
async function exporting(endpoint: string): Promise<SpanProcessor> {
  const { OTLPTraceExporter } = await import('@opentelemetry/exporter-trace-otlp-http');
  return new BatchSpanProcessor(new OTLPTraceExporter({ url: `${endpoint}/v1/traces` }));
}

/**
 * Handles a call within a span of its own, which continues the trace of the `traceparent` header
 * (W3C Trace Context §3.2). Baggage and vendor state are dropped: they are free text, and workflow
 * histories store headers unencrypted. `work` returns the status of the response.
 */
export type Serve = (
  call: { readonly method: string; readonly route: string; readonly traceparent: unknown },
  work: () => Promise<number>,
) => Promise<void>;

/** Runs the work without a span. */
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

/** Runs work taken from a table within the trace of the request that stored it. */
export function continuing<T>(traceparent: string | null, work: () => Promise<T>): Promise<T> {
  if (traceparent === null) return work();
  return context.with(propagation.extract(ROOT_CONTEXT, { traceparent }), work);
}
