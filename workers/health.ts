import { createServer, type Server, type ServerResponse } from 'node:http';
import type { Registry } from 'prom-client';
import { answerMetrics } from '../activities/runtime/answer-metrics.ts';
import type { Readiness } from '../activities/runtime/readiness.ts';

/** Serves `/livez`, `/readyz` and `/metrics` of a worker. */
export function createHealthServer(
  readiness: () => Promise<Readiness>,
  registry: Registry,
): Server {
  return createServer((request, response) => {
    if (request.url === '/livez') return respond(response, { isReady: true });
    if (request.url === '/readyz')
      return void readiness().then((found) => respond(response, found));
    answerMetrics(registry, request, response);
  });
}

function respond(
  response: ServerResponse,
  { isReady, checks }: Pick<Readiness, 'isReady'> & Partial<Readiness>,
): void {
  response.writeHead(isReady ? 200 : 503, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ status: isReady ? 'ok' : 'failing', checks }));
}
