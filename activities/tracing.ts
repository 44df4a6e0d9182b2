import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
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
export function createTracing(service: string, endpoint: string | undefined) {
  const resource = resourceFromAttributes({ 'service.name': service });
  const spanProcessor: SpanProcessor = endpoint
    ? new BatchSpanProcessor(new OTLPTraceExporter({ url: `${endpoint}/v1/traces` }))
    : new NoopSpanProcessor();
  const provider = new NodeTracerProvider({
    resource,
    spanProcessors: [spanProcessor],
    // What nobody receives is not recorded; the workflow's own spans follow their parent in this.
    ...(endpoint ? {} : { sampler: new AlwaysOffSampler() }),
  });
  provider.register();
  return {
    plugin: new OpenTelemetryPlugin({ resource, spanProcessor }),
    stop: () => provider.shutdown(),
  };
}
