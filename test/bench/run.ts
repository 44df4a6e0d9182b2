import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../cli/platform/ports.ts';
import { createClient } from '../../cli/phone/client.ts';
import { createPlatform } from '../harness.ts';
import { load, ratioOf, type Round } from './measure.ts';

const rounds = 9;
const requests = 3_000;
const connections = 32;
const goal = { cpu: 1.5, p99: 1.8 };

/**
 * P1: a link preview as JSON against Express with one prepared select. Floor and candidate take
 * turns in random order; CPU for each request comes from the servers' own process times.
 */
async function main(): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'trustcheck-bench-'));
  const platform = await createPlatform(directory, (line) => process.stderr.write(`${line}\n`), {
    PROFILE: 'development',
    LOG_LEVEL: 'warn',
    DATABASE_CONNECTIONS_MAX: '10',
  });
  const { facts } = platform;
  const floorPort = await freePort();
  const file = new URL('./floors/preview.ts', import.meta.url).pathname;
  const floor = spawn(process.execPath, [file, String(floorPort), facts.databaseUrl], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    await new Promise((resolve) => floor.stdout.once('data', resolve));
    const call = createClient(facts.baseUrl);
    const { link_uuid } = await call<{ link_uuid: string }>('PUT', `/v2/${facts.own.app_id}`, {
      token: facts.own.api_key,
      body: {},
    });
    const sides = {
      floor: { url: `http://127.0.0.1:${floorPort}/v2/${link_uuid}`, pid: floor.pid ?? 0 },
      candidate: {
        url: `${facts.baseUrl}/v2/${link_uuid}?format_type=J`,
        pid: platform.api.child.pid ?? 0,
      },
    };
    const seen: Record<keyof typeof sides, Round[]> = { floor: [], candidate: [] };
    for (let round = -1; round < rounds; round += 1) {
      const order = Math.random() < 0.5 ? ['floor', 'candidate'] : ['candidate', 'floor'];
      for (const side of order as (keyof typeof sides)[]) {
        const { url, pid } = sides[side];
        const measured = await load(url, pid, requests, connections);
        if (round >= 0) seen[side].push(measured);
      }
    }
    report(seen);
  } finally {
    floor.kill();
    await platform.stop();
    await rm(directory, { recursive: true, force: true });
  }
}

function report(seen: { floor: Round[]; candidate: Round[] }): void {
  const of = (side: Round[], name: keyof Round): number[] => side.map((round) => round[name]);
  const say = (text: string): void => void process.stdout.write(`${text}\n`);
  say(
    `P1 link preview · Node ${process.version} · load ${loadavg()[0]?.toFixed(1)} · ${rounds} rounds`,
  );
  for (const [name, field, bound] of [
    ['CPU', 'cpuUsPerRequest', goal.cpu],
    ['p99', 'p99Ms', goal.p99],
  ] as const) {
    const { median, low, high, isNoisy } = ratioOf(
      of(seen.candidate, field),
      of(seen.floor, field),
    );
    const mark = isNoisy ? ' NOISY' : '';
    const met = median <= bound ? 'met' : 'missed';
    say(
      `  ${name} ×${median.toFixed(2)} [${low.toFixed(2)}, ${high.toFixed(2)}] goal ≤ ${bound} ${met}${mark}`,
    );
  }
  const cpu = of(seen.candidate, 'cpuUsPerRequest').map((value) => value.toFixed(0));
  const floor = of(seen.floor, 'cpuUsPerRequest').map((value) => value.toFixed(0));
  say(`  µs a request: ${cpu.join(' ')} against ${floor.join(' ')}`);
}

await main();
