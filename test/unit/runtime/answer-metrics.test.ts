import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Gauge, Registry } from 'prom-client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { answerMetrics } from '../../../activities/runtime/answer-metrics.ts';

let isBroken = false;
const registry = new Registry();
const gauge = new Gauge({
  name: 'example_depth',
  help: 'An example',
  registers: [registry],
  collect: () => {
    if (isBroken) throw new Error('cannot be counted');
    gauge.set(7);
  },
});
const server = createServer((request, response) => answerMetrics(registry, request, response));
let origin = '';

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => new Promise((resolve) => server.close(resolve)));

describe('/metrics', () => {
  it('returns the text of the registry', async () => {
    const answer = await fetch(`${origin}/metrics`);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([
      200,
      registry.contentType,
    ]);
    expect(await answer.text()).toContain('\nexample_depth 7\n');
  });

  it('answers 500 while a metric fails, and works again afterwards', async () => {
    isBroken = true;
    expect((await fetch(`${origin}/metrics`)).status).toBe(500);
    isBroken = false;
    expect((await fetch(`${origin}/metrics`)).status).toBe(200);
  });

  it('is the only path of its server', async () => {
    expect((await fetch(`${origin}/else`)).status).toBe(404);
  });
});
