import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { BatchSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { NodeTracerProvider } from '@opentelemetry/sdk-trace-node';
import { OpenTelemetryPlugin } from '@temporalio/interceptors-opentelemetry-v2';

/** What traces one process: plugins for its client and its workers, none when nobody collects. */
export interface Tracing {
  readonly plugins: OpenTelemetryPlugin[];
  readonly stop: () => Promise<void>;
}

/**
 * Tracing of one process: spans of clients and activities. Workflows only hand the context on, by
 * `workflows/trace-context.ts`, whether or not spans are exported.
 * @param endpoint of an OTLP collector, `/v1/traces` left out
 */
export function createTracing(service: string, endpoint: string | undefined): Tracing {
  if (!endpoint) return { plugins: [], stop: async () => undefined };
  const resource = resourceFromAttributes({ 'service.name': service });
  const spanProcessor = new BatchSpanProcessor(
    new OTLPTraceExporter({ url: `${endpoint}/v1/traces` }),
  );
  const provider = new NodeTracerProvider({ resource, spanProcessors: [spanProcessor] });
  provider.register();
  return {
    plugins: [new OpenTelemetryPlugin({ resource, spanProcessor })],
    stop: () => provider.shutdown(),
  };
}
