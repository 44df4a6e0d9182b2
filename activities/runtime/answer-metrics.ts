import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Registry } from 'prom-client';

/** Answers `/metrics` of a process in the Prometheus text format, and 404 to any other path. */
export function answerMetrics(
  registry: Registry,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  if (request.url !== '/metrics') return void response.writeHead(404).end();
  registry.metrics().then(
    (text) => response.setHeader('Content-Type', registry.contentType).end(text),
    () => response.writeHead(500).end(),
  );
}
