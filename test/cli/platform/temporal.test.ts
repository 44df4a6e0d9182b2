import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { beginningOf } from '../../../cli/platform/identity.ts';
import { freePort } from '../../../cli/platform/ports.ts';
import { startTemporal, type TemporalOptions } from '../../../cli/platform/temporal.ts';
import { searchAttributeKeys } from '../../../workflows/search-attributes.ts';
import { ownDirectory, ownProcesses } from '../../support/commands/run-command.ts';

const processes = ownProcesses();
let directory = { path: '', remove: async (): Promise<void> => undefined };
beforeAll(async () => {
  directory = await ownDirectory();
});
afterAll(async () => {
  processes.end();
  await directory.remove();
});

const start = (more: Partial<TemporalOptions> = {}) =>
  startTemporal({
    logFile: join(directory.path, 'temporal.log'),
    dbFile: join(directory.path, 'temporal.db'),
    say: (line) => void process.stderr.write(`${line}\n`),
    onSpawn: (_, pid) => void processes.note(pid),
    ...more,
  });

async function attributesOf(address: string, namespace: string): Promise<string[]> {
  const connection = await Connection.connect({ address });
  try {
    const { customAttributes } = await connection.operatorService.listSearchAttributes({
      namespace,
    });
    return Object.keys(customAttributes);
  } finally {
    await connection.close();
  }
}

const needed = searchAttributeKeys.map(({ name }) => name);
const flow = { workflowId: 'kept', taskQueue: 'nobody' };

describe('the Temporal server', () => {
  it('has its namespace, attributes and UI, and keeps its workflows over kill -9', async () => {
    const [port, uiPort] = [await freePort(), await freePort()];
    const first = await start({ port, uiPort, namespace: 'checks' });
    expect(first).toMatchObject({
      address: `127.0.0.1:${port}`,
      namespace: 'checks',
      uiUrl: `http://127.0.0.1:${uiPort}`,
    });
    expect(await attributesOf(first.address, 'checks')).toEqual(expect.arrayContaining(needed));
    const page = await fetch(`${first.uiUrl}/namespaces/checks/workflows`);
    expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('<html')]);
    const before = await Connection.connect({ address: first.address });
    const client = new Client({ connection: before, namespace: 'checks' });
    await client.workflow.start('anything', flow);
    await before.close();
    process.kill(first.pid ?? 0, 'SIGKILL');
    await first.ended;

    const second = await start({ port, uiPort, namespace: 'checks' });
    expect(second.address).toBe(first.address);
    const after = await Connection.connect({ address: second.address });
    const handle = new Client({ connection: after, namespace: 'checks' }).workflow.getHandle(
      'kept',
    );
    expect((await handle.describe()).status.name).toBe('RUNNING');
    await after.close();

    // A foreign server gets the namespace and the attributes that it lacks.
    const given = await start({ address: second.address, namespace: 'others' });
    expect(given).toMatchObject({ pid: null, address: second.address });
    expect(await attributesOf(given.address, 'others')).toEqual(expect.arrayContaining(needed));
    const again = await start({ address: second.address, namespace: 'others' });
    await Promise.all([given.stop(), again.stop()]);
    expect(beginningOf(second.pid ?? 0)).not.toBeNull();
    await second.stop();
    expect(beginningOf(second.pid ?? 0)).toBeNull();
  }, 90_000);

  it('fails with one line and a remedy when a configured server does not answer', async () => {
    const failing = start({ address: '127.0.0.1:1', connectMsMax: 500 });
    await expect(failing).rejects.toThrow(
      'no Temporal server answers at 127.0.0.1:1: start it, or unset TEMPORAL_ADDRESS',
    );
  });

  it('names the port in use', async () => {
    const busy = await start({ dbFile: join(directory.path, 'busy.db') });
    const port = Number(busy.address.split(':')[1]);
    await expect(start({ port })).rejects.toThrow(`port ${port} is taken`);
    await busy.stop();
  });

  it('fails with its own output when it cannot open its store, and ends', async () => {
    const before: number[] = [];
    const failing = start({ dbFile: '/dev/null/x.db', onSpawn: (_, pid) => before.push(pid) });
    await expect(failing).rejects.toThrow(
      /^the Temporal server did not start: it has ended\n[^]*unable to open database file/,
    );
    expect(before.map(beginningOf)).toEqual([null]);
  });

  it.each([
    ['is half made', ''],
    ['is damaged', 'no database at all, and longer than the head of one would be'],
  ])('says how to delete a store that %s', async (_what, content) => {
    const dbFile = join(directory.path, 'half.db');
    await writeFile(dbFile, content);
    await expect(start({ dbFile })).rejects.toThrow(
      `\nwhere ${dbFile} is damaged or half made, forget it: npm run reset`,
    );
  });
});
