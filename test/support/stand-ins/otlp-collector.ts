import { z } from 'zod';
import { startProvider, type Provider } from './provider.ts';

export interface CollectedSpan {
  readonly service: string;
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string | null;
  readonly isServer: boolean;
}

export interface OtlpCollector extends Provider {
  /** Every received span, in order. */
  readonly spans: readonly CollectedSpan[];
}

const attribute = z.object({
  key: z.string(),
  value: z.looseObject({ stringValue: z.string().optional() }),
});
const span = z.object({
  traceId: z.string().regex(/^(?!0{32})[0-9a-f]{32}$/),
  spanId: z.string().regex(/^(?!0{16})[0-9a-f]{16}$/),
  parentSpanId: z
    .string()
    .regex(/^([0-9a-f]{16})?$/)
    .optional(),
  name: z.string().min(1),
  kind: z.int().min(0).max(5),
  startTimeUnixNano: z.string().regex(/^\d{19}$/),
  endTimeUnixNano: z.string().regex(/^\d{19}$/),
});
const exported = z.object({
  resourceSpans: z
    .array(
      z.object({
        resource: z.object({ attributes: z.array(attribute) }),
        scopeSpans: z.array(z.object({ spans: z.array(span).min(1) })).min(1),
      }),
    )
    .min(1),
});
const kindServer = 2;

/**
 * A collector's `POST /v1/traces` in JSON (OTLP 1.5, "OTLP/HTTP"). Answers 400 to malformed data.
 */
export async function startOtlpCollector(): Promise<OtlpCollector> {
  const spans: CollectedSpan[] = [];
  const provider = await startProvider(({ method, path, headers, body }) => {
    if (path !== '/v1/traces') return { status: 404 };
    if (method !== 'POST') return { status: 405 };
    if (headers['content-type'] !== 'application/json') return { status: 415 };
    const parsed = exported.safeParse(JSON.parse(body.toString('utf8')));
    if (!parsed.success) return { status: 400, body: { message: z.prettifyError(parsed.error) } };
    for (const { resource, scopeSpans } of parsed.data.resourceSpans) {
      const named = resource.attributes.find(({ key }) => key === 'service.name');
      const service = named?.value.stringValue ?? '';
      for (const each of scopeSpans.flatMap((scope) => scope.spans)) {
        const { name, traceId, spanId, parentSpanId, kind } = each;
        const isServer = kind === kindServer;
        const parent = parentSpanId ? parentSpanId : null;
        spans.push({ service, name, traceId, spanId, parentSpanId: parent, isServer });
      }
    }
    return { status: 200, body: {} };
  });
  return { ...provider, spans };
}
