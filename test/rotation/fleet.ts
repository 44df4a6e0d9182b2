import { join } from 'node:path';
import { freePort } from '../../cli/platform/ports.ts';
import { startService, type Service } from '../../cli/platform/services.ts';
import { endWithUs } from '../end-with-us.ts';
import type { TestPlatform } from '../harness.ts';

/** Two APIs and a worker that are restarted in turn, as behind a balancer. */
export interface Fleet {
  /** Where the two APIs answer. */
  readonly origins: readonly [string, string];
  /** Restarts every process, one after the other, with these settings besides the platform's. */
  roll(settings?: Readonly<Record<string, string>>): Promise<void>;
  stop(): Promise<void>;
}

interface Member {
  readonly name: 'api' | 'worker';
  readonly settings: Readonly<Record<string, string>>;
  readonly healthUrl: string;
  service: Service;
}

/** Starts a second API beside the processes of a platform. */
export async function openFleet(platform: TestPlatform): Promise<Fleet> {
  const { facts, settings, settingsOf } = platform;
  const [port, metricsPort] = await Promise.all([freePort(), freePort()]);
  const second = { PORT: String(port), METRICS_PORT: String(metricsPort) };
  const origins = [facts.baseUrl, `http://127.0.0.1:${port}`] as const;
  const start = ({ name, settings: own, healthUrl }: Omit<Member, 'service'>): Promise<Service> =>
    startService({
      name,
      healthUrl,
      settings: { ...settingsOf(name), ...own },
      logFile: join(facts.dataDir, 'logs', `${name}-${new URL(healthUrl).port}.log`),
      onSpawn: endWithUs,
    });
  const other = { name: 'api', settings: second, healthUrl: `${origins[1]}/readyz` } as const;
  const workerUrl = `http://127.0.0.1:${settings['WORKER_PORT'] ?? ''}/readyz`;
  const members: Member[] = [
    { name: 'api', settings: {}, healthUrl: `${origins[0]}/readyz`, service: platform.api },
    { ...other, service: await start(other) },
    { name: 'worker', settings: {}, healthUrl: workerUrl, service: platform.worker },
  ];
  return {
    origins,
    async roll(more = {}) {
      for (const member of members) {
        await member.service.stop();
        member.service = await start({ ...member, settings: { ...more, ...member.settings } });
      }
    },
    async stop() {
      await Promise.allSettled(members.map(({ service }) => service.stop()));
    },
  };
}
