import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../../../cli/platform/ports.ts';
import { startService, type Service } from '../../../cli/platform/services.ts';
import { endWithUs } from './end-with-us.ts';
import type { TestPlatform } from './harness.ts';

/** Processes of a platform that restart in turn, as behind a load balancer. */
export interface Fleet {
  /** Origins of the two APIs. */
  readonly origins: readonly [string, string];
  readonly members: readonly Member[];
  /** Restarts every process, one after the other. These settings override those of the platform. */
  roll(settings?: Readonly<Record<string, string>>): Promise<void>;
  stop(): Promise<void>;
}

export interface Member {
  readonly name: 'api' | 'worker';
  /** Sends `kill -9`. Resolves when the process is gone. */
  kill(): Promise<void>;
  /** Starts it again. Resolves when it is ready. */
  start(settings?: Readonly<Record<string, string>>): Promise<void>;
  stop(): Promise<void>;
}

interface Wanted {
  /** The port of the second API; default: a free one. */
  readonly secondPort?: number;
  /** Total number of workers; default: 1. */
  readonly workers?: 1 | 2;
}

const awayMs = 500;
/** How long all processes run between two kills. Longer than the proxy avoids a failed backend. */
export const togetherMs = 6_000;

/** Kills a process, and starts it again half a second later. */
export async function killAndRestart(member: Member): Promise<void> {
  await member.kill();
  await sleep(awayMs);
  await member.start();
}

/** Starts a second API, and on request a second worker, in addition to those of a platform. */
export async function openFleet(platform: TestPlatform, wanted: Wanted = {}): Promise<Fleet> {
  const { settings } = platform;
  const [port, metrics, health] = await Promise.all([freePort(), freePort(), freePort()]);
  const second = { PORT: String(wanted.secondPort ?? port), METRICS_PORT: String(metrics) };
  const originOf = (ports: Readonly<Record<string, string>>) =>
    `http://127.0.0.1:${ports['PORT'] ?? ''}`;
  const origins = [originOf(settings), originOf(second)] as const;
  const members = [
    memberOf(platform, 'api', {}, platform.api),
    memberOf(platform, 'api', second),
    memberOf(platform, 'worker', {}, platform.worker),
    ...(wanted.workers === 2
      ? [memberOf(platform, 'worker', { WORKER_PORT: String(health) })]
      : []),
  ];
  await Promise.all([members[1]?.start(), members[3]?.start()]);
  return {
    origins,
    members,
    async roll(more = {}) {
      for (const member of members) {
        await member.stop();
        await member.start(more);
      }
    },
    async stop() {
      await Promise.allSettled(members.map((member) => member.stop()));
    },
  };
}

/** A process with settings that override those of the platform. */
function memberOf(
  { facts, settingsOf }: TestPlatform,
  name: Member['name'],
  own: Readonly<Record<string, string>>,
  running: Service | null = null,
): Member {
  let service = running;
  const usual = { ...settingsOf(name), ...own };
  const port = usual[name === 'api' ? 'PORT' : 'WORKER_PORT'] ?? '';
  return {
    name,
    async kill() {
      service?.child.kill('SIGKILL');
      await service?.ended;
    },
    async start(more = {}) {
      service = await startService({
        name,
        settings: { ...usual, ...more, ...own },
        healthUrl: `http://127.0.0.1:${port}/readyz`,
        logFile: join(facts.dataDir, 'logs', `${name}-${port}.log`),
        onSpawn: endWithUs,
      });
    },
    stop: async () => service?.stop(),
  };
}
