import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from '../../../support/platform/harness.ts';
import { residentBytesOf } from './procfs.ts';

/** A process started with `--inspect-port`. */
export interface Inspected {
  readonly pid: number;
  readonly port: number;
}

const settleMs = 1_500;

/** Opens the inspector of a process. Its memory cost is then equal on both sides. */
export async function openInspector({ pid, port }: Inspected): Promise<void> {
  process.kill(pid, 'SIGUSR1');
  await eventually('the inspector', () =>
    fetch(`http://127.0.0.1:${port}/json/list`).then(
      ({ ok }) => ok,
      () => false,
    ),
  );
}

/** Forces a garbage collection in a process, and returns its resident memory in MiB. */
export async function residentMiBOf(of: Inspected): Promise<number> {
  for (let left = 2; left > 0; left -= 1) {
    await collectGarbage(of);
    await sleep(settleMs);
  }
  return residentBytesOf(of.pid) / 1024 ** 2;
}

async function collectGarbage({ port }: Inspected): Promise<void> {
  const list: unknown = await (await fetch(`http://127.0.0.1:${port}/json/list`)).json();
  const [target] = list as { webSocketDebuggerUrl: string }[];
  if (!target) throw new Error('the inspector has no target');
  const socket = new WebSocket(target.webSocketDebuggerUrl);
  await once(socket, 'open');
  socket.send(JSON.stringify({ id: 1, method: 'HeapProfiler.collectGarbage' }));
  await once(socket, 'message');
  socket.close();
}
