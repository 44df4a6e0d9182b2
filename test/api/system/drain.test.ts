import { spawn, type ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { developmentUrls } from '../../../cli/data-directory/database-urls.ts';
import { compiledDirectory } from '../../../cli/platform/cache.ts';
import { eventually } from '../../support/platform/harness.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';

const { databaseUrl, dataDir, temporalAddress, baseUrl } = ownPlatform();
let api: ChildProcess;
let origin: string;
let ended: Promise<number | null>;

beforeAll(async () => {
  const entry = new URL('../../../api/main.ts', import.meta.url).pathname;
  api = spawn(process.execPath, [entry], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      PROFILE: 'development',
      DATABASE_URL: developmentUrls(databaseUrl).api,
      DATA_DIR: dataDir,
      TEMPORAL_ADDRESS: temporalAddress,
      BASE_URL: baseUrl,
      PORT: '0',
      METRICS_PORT: '0',
      DRAIN_SECONDS: '2',
      NODE_COMPILE_CACHE: compiledDirectory(),
    },
  });
  ended = new Promise((resolve) => void api.once('exit', resolve));
  if (!api.stdout) throw new Error('it says nothing');
  const lines = createInterface({ input: api.stdout });
  const port = await new Promise<number>((resolve) => {
    lines.on('line', (line) => {
      const { msg, port: of } = JSON.parse(line) as { msg: string; port: number };
      if (msg === 'listening') resolve(of);
    });
  });
  origin = `http://127.0.0.1:${port}`;
});
afterAll(() => api.kill('SIGKILL'));

const ready = async (): Promise<unknown[]> => {
  const answer = await fetch(`${origin}/readyz`);
  return [answer.status, await answer.json()];
};

describe('an API that receives SIGTERM', () => {
  it('reports that it is not ready, still serves requests, and then exits', async () => {
    const good = { database: true, temporal: true, objects: true };
    expect(await ready()).toEqual([200, { status: 'ok', checks: { ...good, serving: true } }]);
    api.kill('SIGTERM');
    await eventually('it to be unready', async () => (await ready())[0] === 503);
    expect(await ready()).toEqual([
      503,
      { status: 'failing', checks: { ...good, serving: false } },
    ]);
    expect((await fetch(`${origin}/livez`)).status).toBe(200);
    expect((await fetch(`${origin}/.well-known/jwks.json`)).status).toBe(200);
    expect(await ended).toBe(0);
    await expect(fetch(`${origin}/livez`)).rejects.toThrow();
  });
});
