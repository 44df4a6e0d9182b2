import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { images, type ImageFacts } from './compose-images.ts';

interface Service {
  readonly image: string;
  readonly build?: string;
  readonly user?: string;
  readonly profiles: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly ports?: readonly string[];
  readonly volumes?: readonly string[];
  readonly entrypoint?: readonly string[];
  readonly command?: string | readonly string[];
  readonly healthcheck?: { readonly test: readonly string[] };
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
  readonly restart?: string;
  readonly mem_limit?: string;
}

interface PrometheusConfig {
  readonly rule_files: readonly string[];
  readonly scrape_configs: readonly {
    readonly dns_sd_configs: readonly [
      { readonly names: readonly [string]; readonly port: number },
    ];
  }[];
}

const root = new URL('../../../', import.meta.url);
const text = (path: string): string => readFileSync(new URL(path, root), 'utf8');
const compose = parse(text('docker-compose.yml'), { merge: true }) as {
  readonly services: Readonly<Record<string, Service>>;
};
const { services } = compose;
const all = Object.entries(services);
const ours = all.filter(([, { image }]) => image.startsWith('trustcheck:'));
const others = all.filter(([, { image }]) => !image.startsWith('trustcheck:'));
/** Whether an operator runs the service as a command. */
const isByHand = ({ profiles }: Service): boolean =>
  profiles.some((profile) => ['admin', 'keys'].includes(profile));
const isOnce = ({ restart }: Service): boolean => restart === 'no';

const nameOf = ({ image }: Service): string => image.split(/[:@]/)[0] ?? '';

function factsOf(service: Service): ImageFacts {
  const facts = images[nameOf(service)];
  if (!facts) throw new Error(`${service.image}: compose-images.ts says nothing about it`);
  return facts;
}

/** The services that this one waits for, directly or through others. */
function awaitedBy(name: string): Set<string> {
  const found = new Set<string>();
  const waiting = [name];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    for (const other of Object.keys(services[next]?.depends_on ?? {})) {
      if (found.has(other)) continue;
      found.add(other);
      waiting.push(other);
    }
  }
  return found;
}

/** Starts services round by round, as compose does; returns the rounds. */
function simulateStart(profile: string): string[][] {
  const wanted = all.filter(([, { profiles }]) => profiles.includes(profile)).map(([name]) => name);
  const ready = new Set<string>();
  const rounds: string[][] = [];
  while (ready.size < wanted.length) {
    const round = wanted.filter(
      (name) =>
        !ready.has(name) &&
        Object.keys(services[name]?.depends_on ?? {}).every((other) => ready.has(other)),
    );
    if (round.length === 0) {
      const stuck = wanted.filter((name) => !ready.has(name));
      throw new Error(`${profile}: ${stuck.join(', ')} never start`);
    }
    for (const name of round) ready.add(name);
    rounds.push(round);
  }
  return rounds;
}

describe('the start of docker-compose.yml', () => {
  it.each(['core', 'full', 'observability'])(
    'reaches every service of the profile %s',
    (profile) => {
      expect(simulateStart(profile).flat().length).toBeGreaterThan(2);
    },
  );

  it('creates certificates, schemas and the namespace before the services that need them', () => {
    const order = simulateStart('core');
    const roundOf = (name: string): number => order.findIndex((round) => round.includes(name));
    for (const chain of [
      ['temporal-certificates', 'temporal', 'temporal-namespace', 'api', 'proxy'],
      ['postgres', 'database', 'migrate', 'api', 'worker'],
    ]) {
      const rounds = chain.map(roundOf);
      expect(rounds).toEqual(rounds.toSorted((a, b) => a - b));
      expect(new Set(rounds).size).toBe(chain.length);
    }
    expect(roundOf('temporal-schema')).toBeLessThan(roundOf('temporal'));
  });

  it('makes a service wait for every service whose address it has', () => {
    const addressed = /(?<![\w.-])([a-z][a-z-]+):(\d{2,5})\b/g;
    for (const [name, service] of all) {
      // An operator runs it beside the running services.
      if (isByHand(service)) continue;
      const given = JSON.stringify([service.environment ?? {}, service.command ?? '']);
      for (const [, host = '', port] of given.matchAll(addressed)) {
        const target = services[host];
        if (!target || host === name) continue;
        // Traces are dropped while no collector runs, and mail is retried.
        if (['otel-collector', 'mailpit'].includes(host)) continue;
        expect(awaitedBy(name), `${name} waits for ${host}`).toContain(host);
        const listens = target.build
          ? Object.entries(target.environment ?? {})
              .filter(([variable]) => variable.endsWith('PORT'))
              .map(([, value]) => value)
          : factsOf(target).listens.map(String);
        expect(listens, `${host} listens on ${port}`).toContain(port);
      }
    }
  });

  it('fills each volume of certificates before a service reads it', () => {
    const maker = 'temporal-certificates';
    const made = (services[maker]?.volumes ?? []).map((volume) => volume.split(':')[0]);
    expect(made).toEqual(['temporal-ca', 'temporal-server', 'temporal-client']);
    for (const [name, service] of all) {
      // It does not call Temporal: it only shares the settings of the others.
      if (name === maker || isByHand(service)) continue;
      for (const volume of service.volumes ?? []) {
        if (!made.includes(volume.split(':')[0])) continue;
        expect(volume, name).toMatch(/:ro$/);
        expect(awaitedBy(name), name).toContain(maker);
      }
    }
  });

  it('gives the key of the CA only to the service that signs with it', () => {
    const holders = all.filter(([, { volumes = [] }]) =>
      volumes.some((volume) => volume.startsWith('temporal-ca:')),
    );
    expect(holders.map(([name]) => name)).toEqual(['temporal-certificates']);
  });
});

describe('every image of docker-compose.yml', () => {
  it('is pinned by its digest, except our own', () => {
    for (const [name, { image }] of others) {
      expect(image, name).toMatch(/^[\w./-]+:v?\d[\w.-]*@sha256:[0-9a-f]{64}$/);
    }
    for (const [name, { build }] of ours) expect(build, name).toBe('.');
    const bases = [...text('Dockerfile').matchAll(/^FROM (\S+)/gm)].map(([, base]) => base);
    expect(bases.length).toBeGreaterThan(1);
    for (const base of bases) expect(base).toMatch(/@sha256:[0-9a-f]{64}$/);
  });

  it('gets only variables that it reads, and all that it needs to start', () => {
    for (const [name, service] of others) {
      const { reads = /^$/, needs = [] } = factsOf(service);
      // The job that creates the bucket starts no server.
      const needed = service.entrypoint?.[0] === '/bin/mkdir' ? [] : needs;
      const given = Object.keys(service.environment ?? {});
      expect(
        given.filter((variable) => !reads.test(variable)),
        name,
      ).toEqual([]);
      expect(
        needed.filter((variable) => !given.includes(variable)),
        name,
      ).toEqual([]);
    }
  });

  it('has the user that it runs as', () => {
    for (const [name, service] of others) {
      expect(factsOf(service).users, name).toContain(service.user ?? 'root');
    }
  });

  it('has the program of its health check, which uses a port it listens on', () => {
    for (const [name, service] of others) {
      const { programs, listens } = factsOf(service);
      const [kind, ...words] = service.healthcheck?.test ?? [];
      if (kind === undefined) {
        // The image has no program for a health check.
        expect(isOnce(service) || programs.length === 0, name).toBe(true);
        continue;
      }
      const command = words.join(' ');
      expect(programs, name).toContain(command.split(' ')[0]);
      for (const [, port] of command.matchAll(/(?:localhost|127\.0\.0\.1)[: ](\d+)/g)) {
        expect(listens, name).toContain(Number(port));
      }
    }
  });

  it('publishes only ports that it listens on', () => {
    for (const [name, service] of others) {
      for (const port of service.ports ?? []) {
        const inside = Number(port.replace('/udp', '').split(':').at(-1));
        expect(factsOf(service).listens, name).toContain(inside);
      }
    }
  });

  it('restarts after a crash unless it runs once, and has a memory limit', () => {
    for (const [name, service] of all) {
      expect(['no', 'unless-stopped'], name).toContain(service.restart);
      expect(service.mem_limit, name).toMatch(/^\d+[mg]$/);
    }
  });

  it('has no fixed port and no fixed name when the service is scaled', () => {
    for (const name of ['api', 'worker']) {
      expect(services[name]?.ports, name).toBeUndefined();
      expect(services[name], name).not.toHaveProperty('container_name');
    }
  });
});

describe('the files that docker-compose.yml mounts', () => {
  it('exist and are mounted read-only', () => {
    const mounted = all.flatMap(([, { volumes = [] }]) =>
      volumes.filter((volume) => volume.startsWith('./')),
    );
    expect(mounted.length).toBeGreaterThan(4);
    for (const volume of mounted) {
      expect(text(volume.split(':')[0] ?? '').length).toBeGreaterThan(0);
      expect(volume).toMatch(/:ro$/);
    }
  });

  it('make the proxy forward to the ports of the API and the object store', () => {
    const caddyfile = text('deploy/Caddyfile');
    expect(caddyfile).toContain(`dynamic a api ${services['api']?.environment?.['PORT']} {`);
    const [objects] = images['versity/versitygw']?.listens ?? [];
    expect(caddyfile).toContain(`reverse_proxy objects:${objects}\n`);
    const named = [...caddyfile.matchAll(/\{\$(\w+)\}/g)].map(([, name]) => name);
    const given = Object.keys(services['proxy']?.environment ?? {});
    expect(new Set(named)).toEqual(new Set(given));
    const published = services['proxy']?.ports?.map((port) => port.split(':')[1]);
    for (const [, port] of caddyfile.matchAll(/^\s*https?_port (\d+)$/gm)) {
      expect(published).toContain(port);
    }
  });

  it("enable the fairness of Temporal's task queues", () => {
    const config = parse(text('deploy/temporal.yml'));
    expect(config).toEqual({ 'matching.enableFairness': [{ value: true }] });
    // The path where the server of the image looks for it (config_template_embedded.yaml).
    const mounts = services['temporal']?.volumes?.map((volume) => volume.split(':')[1]);
    expect(mounts).toContain('/etc/temporal/config/dynamicconfig/docker.yaml');
  });

  it('make Prometheus scrape every replica, and Grafana show its data', () => {
    const prometheus: PrometheusConfig = parse(text('deploy/prometheus.yml'));
    const ports = {
      api: services['api']?.environment?.['METRICS_PORT'],
      worker: services['worker']?.environment?.['WORKER_PORT'],
    };
    const found = Object.fromEntries(
      prometheus.scrape_configs.map(({ dns_sd_configs: [{ names, port }] }) => [
        names[0],
        String(port),
      ]),
    );
    expect(found).toEqual(ports);
    const mounts = services['prometheus']?.volumes?.map((volume) => volume.split(':')[1]);
    expect(mounts).toEqual(expect.arrayContaining([...prometheus.rule_files]));
    const { datasources } = parse(text('deploy/grafana-datasource.yml'));
    expect(datasources).toMatchObject([{ type: 'prometheus', url: 'http://prometheus:9090' }]);
    const { providers } = parse(text('deploy/grafana-dashboards.yml'));
    const shown = services['grafana']?.volumes?.find((volume) => volume.includes('dashboard.json'));
    expect(shown).toContain(`:${providers[0].options.path}/`);
  });
});
