import { createServer, type Server, type ServerResponse } from 'node:http';
import type { Registry } from 'prom-client';
import { answerMetrics } from '../activities/answer-metrics.ts';

/** Answers `/livez`, `/readyz` and `/metrics` of a worker. */
export function createHealthServer(isReady: () => boolean, registry: Registry): Server {
  return createServer((request, response) => {
    if (request.url === '/livez') return tell(response, true);
    if (request.url === '/readyz') return tell(response, isReady());
    answerMetrics(registry, request, response);
  });
}

function tell(response: ServerResponse, isGood: boolean): void {
  response.writeHead(isGood ? 200 : 503, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ status: isGood ? 'ok' : 'failing' }));
}
