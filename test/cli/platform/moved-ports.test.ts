import { createServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Ports } from '../../../cli/data-directory/state.ts';
import { movedPorts, usualPorts, wantedPorts } from '../../../cli/platform/ports.ts';

const taken = createServer();
let port = 0;
beforeAll(async () => {
  await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
  const address = taken.address();
  port = typeof address === 'object' && address ? address.port : 0;
});
afterAll(() => new Promise((resolve) => taken.close(resolve)));

type Environment = Readonly<Record<string, string>>;
const told = (got: Partial<Ports>, last: Partial<Ports> | null, env: Environment) => {
  const before = last && { ...usualPorts, ...last };
  return movedPorts(wantedPorts(before, env), { ...usualPorts, ...got }, env);
};

describe('the line about moved ports', () => {
  it('is absent when each part is at its configured or usual port', async () => {
    expect(await told({}, null, {})).toBeNull();
    expect(await told({}, {}, { PORT: '' })).toBeNull();
    expect(await told({ api: 7 }, null, { PORT: '7' })).toBeNull();
    expect(await told({ api: 7 }, { api: 8 }, { PORT: '0' })).toBeNull();
  });

  it('names the port in use and how to return to the usual one', async () => {
    expect(await told({ api: 7 }, null, {})).toBe(
      'other ports than usual: API at 7 (8080 is taken); back: PORT=8080 npm start',
    );
    expect(await told({ worker: 7 }, { worker: 8 }, {})).toBe(
      'other ports than usual: worker at 7 (8 is taken); back: WORKER_PORT=8 npm start',
    );
    expect(await told({ metrics: 7 }, null, { METRICS_PORT: String(port) })).toBe(
      `other ports than usual: metrics of the API at 7 (${port} is taken); ` +
        `back: METRICS_PORT=${port} npm start`,
    );
  });

  it('covers all ports kept from the last start', async () => {
    const last = { api: 7, temporalUi: 9 };
    const line = await told(last, last, {});
    expect(line).toMatch(
      /^other ports than usual: API at 7 \(as at the last start; 8080 is (free|taken)\), T.+$/,
    );
    expect(line).toContain('; back: PORT=8080 TEMPORAL_UI_PORT=8233 npm start');
  });

  it('omits servers that the platform does not run', async () => {
    const moved = { postgres: 7, temporal: 8, temporalUi: 9 };
    const env = { DATABASE_ADMIN_URL: 'postgres://x', TEMPORAL_ADDRESS: 'x:1' };
    expect(await told(moved, moved, env)).toBeNull();
  });
});
