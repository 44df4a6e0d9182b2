import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import type { z } from 'zod';
import { createMailer } from '../../../activities/delivery/mail/config.ts';
import { createSmsSender } from '../../../activities/delivery/sms/config.ts';
import { parseConfig } from '../../../activities/runtime/config.ts';
import { apiConfig, settingsOf } from '../../../api/config.ts';
import { families } from '../../../api/families.ts';
import { workerConfig } from '../../../workers/config.ts';
import { chosen, needed } from './compose-settings.ts';

interface Service {
  readonly image?: string;
  readonly environment?: Record<string, string>;
  readonly ports?: string[];
  readonly healthcheck?: { test: string[] };
  readonly depends_on?: Record<string, { condition: string }>;
  readonly profiles?: string[];
  readonly restart?: string;
  readonly command?: string | string[];
  readonly volumes?: string[];
}
const text = readFileSync(new URL('../../../docker-compose.yml', import.meta.url), 'utf8');
const compose = parse(text, { merge: true }) as {
  services: Record<string, Service>;
  volumes: Record<string, null>;
};
const { services } = compose;
const { api, worker } = services;

/** Set by the local platform only, or with a default that is right for compose. */
const leftOut = new Set(
  [
    'DATABASE_CONNECTIONS_MAX DEV_ATTESTATION_ROOTS DEV_ATTESTATION_ROOTS_SHA256 DEV_CSCA',
    'DEV_CSCA_SHA256 HOST PLAY_INTEGRITY_URL SENDGRID_BASE_URL TWILIO_BASE_URL WORKFLOWS_CACHED_MAX',
    'WORKFLOW_BUNDLES APP_ATTEST_URL APP_ATTEST_SANDBOX_URL FACE_REKOGNITION_URL',
    'KEYS_KMS_URL',
    'DEVICECHECK_URL DEVICECHECK_SANDBOX_URL',
  ].flatMap((line) => line.split(' ')),
);
/** Both processes know them, but only the worker reads them. */
const ofWorker = new Set([
  'CSCA_CRLS',
  'CSCA_CRL_URLS',
  'CSCA_LINKS',
  'CSCA_CRLS_REQUIRED',
  'CSCA_MASTER_LIST',
  'CSCA_MASTER_LIST_ROOT',
  'CSCA_MASTER_LIST_URL',
  'PASSPORT_LEGACY_ALGORITHMS',
]);

/** Replaces `${NAME}`, `${NAME:?why}`, `${NAME:-default}` and `${NAME-default}` as compose does. */
function interpolated(value: string, env: Readonly<Record<string, string>>): string {
  return value.replaceAll(
    /\$\{(\w+)(?:(:?[-?])([^}]*))?\}/g,
    (_whole, name: string, how: string | undefined, rest: string | undefined) => {
      const given = env[name];
      const isSet = given !== undefined && (given !== '' || how === '-');
      if (isSet) return given;
      if (how === undefined || how.endsWith('?')) throw new Error(`${name} is needed`);
      return rest ?? '';
    },
  );
}

function settings<Schema extends z.ZodType>(
  service: Service | undefined,
  schema: Schema,
  env: Readonly<Record<string, string>>,
): z.output<Schema> {
  const given = Object.entries(service?.environment ?? {});
  const values = given.map(([name, value]) => [name, interpolated(value, env)]);
  return parseConfig(schema, Object.fromEntries(values));
}

const processes = [
  ['api', api, apiConfig, ofWorker],
  ['worker', worker, workerConfig, new Set<string>()],
] as const;

describe('docker-compose.yml', () => {
  it.each(processes)('gives the %s every setting it knows, and no other', (...of) => {
    const [, service, schema, others] = of;
    const given = new Set(Object.keys(service?.environment ?? {}));
    const known = Object.keys(schema.shape).filter((name) => !leftOut.has(name));
    expect([...given].filter((name) => !known.includes(name))).toEqual([]);
    expect(known.filter((name) => !given.has(name) && !others.has(name))).toEqual([]);
  });

  it.each([
    ['the required variables', needed],
    ['all variables', { ...needed, ...chosen }],
  ] as const)('gives both processes valid settings from %s', (_, env) => {
    const ofApi = settings(api, apiConfig, env);
    const ofItsWorker = settings(worker, workerConfig, env);
    const outbox = { add: () => Promise.reject(new Error('the outbox in production')) };
    expect(settingsOf(ofApi)).toMatchObject({ isDevelopment: false, baseUrl: needed['BASE_URL'] });
    expect(() => createSmsSender(ofApi, outbox)).not.toThrow();
    expect(() => createMailer(ofItsWorker, outbox)).not.toThrow();
  });

  it('requires only variables that it needs, and offers only known ones', () => {
    const named = [...text.matchAll(/(?<!\$)\$\{(\w+)(:?[-?])?/g)];
    const asked = named.filter(([, , how]) => how !== '-' && how !== ':-').map(([, name]) => name);
    const offered = named
      .filter(([, , how]) => how === '-' || how === ':-')
      .map(([, name]) => name);
    expect(new Set(asked)).toEqual(new Set(Object.keys(needed)));
    expect(new Set(offered)).toEqual(new Set(Object.keys(chosen)));
    for (const name of Object.keys(needed)) {
      const { [name]: _without, ...rest } = needed;
      const isMissed = Object.values(services).some(({ environment = {}, command = [] }) =>
        [...Object.values(environment), ...[command].flat()].some((value) => {
          try {
            return interpolated(value, rest) === '';
          } catch {
            return true;
          }
        }),
      );
      expect(isMissed, name).toBe(true);
    }
  });

  it('sends mail to its own mail server until another one is set', () => {
    const { SMTP_URL = '' } = settings(worker, workerConfig, needed);
    const { hostname, port } = new URL(SMTP_URL);
    expect([Object.keys(services), port]).toEqual([expect.arrayContaining([hostname]), '1025']);
    expect(services[hostname]?.profiles).toEqual(worker?.profiles);
    // Adding only SendGrid makes two providers, which docker-compose.yml explains at the setting.
    const { SENDGRID_API_KEY = '', SENDGRID_FROM = '' } = chosen;
    const sendgrid = { ...needed, SENDGRID_API_KEY, SENDGRID_FROM };
    const outbox = { add: () => Promise.reject(new Error('the outbox in production')) };
    const mailerOf = (env: Readonly<Record<string, string>>) =>
      createMailer(settings(worker, workerConfig, env), outbox);
    expect(() => mailerOf(sendgrid)).toThrow(/set one$/);
    expect(() => mailerOf({ ...sendgrid, SMTP_URL: '', SMTP_FROM: '' })).not.toThrow();
  });

  it('checks health at the paths and ports of the processes', () => {
    const paths = families.flatMap(({ routes }) => routes.map(({ contract }) => contract.path));
    expect(paths).toEqual(expect.arrayContaining(['/readyz', '/livez']));
    expect(api?.healthcheck?.test.join(' ')).toContain(
      `127.0.0.1:${api?.environment?.['PORT']}/readyz`,
    );
    expect(worker?.healthcheck?.test.join(' ')).toContain(
      `127.0.0.1:${worker?.environment?.['WORKER_PORT']}/readyz`,
    );
    expect(services['codec']?.healthcheck?.test.join(' ')).toMatch(/:8234\/livez$/);
  });

  it('connects the Temporal UI to the codec with the operator’s token', () => {
    const paths = families.flatMap(({ routes }) => routes.map(({ contract }) => contract.path));
    const endpoint = services['temporal-ui']?.environment?.['TEMPORAL_CODEC_ENDPOINT'] ?? '';
    const { hostname, port, pathname } = new URL(endpoint);
    expect(paths).toContain(`${pathname}/decode`);
    const { ports, command } = services['codec'] ?? {};
    expect(ports).toEqual([`${hostname}:${port}:${port}`]);
    expect(command).toContain(`--from=:${port}`);
    expect(command).toContain(`--to=api:${api?.environment?.['PORT']}`);
    expect(command).toContain('--header-up=X-Operator-Token: ${CODEC_OPERATOR_TOKEN:?}');
    const { TEMPORAL_UI_URL } = settings(api, apiConfig, needed);
    const published = services['temporal-ui']?.ports?.map((port) => port.split(':'));
    const { host } = new URL(TEMPORAL_UI_URL ?? '');
    expect(published).toEqual([[...host.split(':'), '8080']]);
  });

  it('lets the collector receive traces, and Prometheus read the metrics of both processes', () => {
    const metrics = settings(api, apiConfig, needed).METRICS_HOST;
    expect([metrics, settings(worker, workerConfig, needed).METRICS_HOST]).toEqual([
      '0.0.0.0',
      '0.0.0.0',
    ]);
    const { environment: { COLLECTOR_CONFIG = '' } = {}, command } =
      services['otel-collector'] ?? {};
    expect(command).toEqual(['--config=env:COLLECTOR_CONFIG']);
    const config = parse(COLLECTOR_CONFIG);
    const [endpoint = ''] = /http:\/\/otel-collector:\d+$/m.exec(text) ?? [];
    const { port } = new URL(endpoint);
    expect(config.receivers.otlp.protocols.http.endpoint).toBe(`0.0.0.0:${port}`);
    for (const { receivers, exporters } of Object.values<Record<string, string[]>>(
      config.service.pipelines,
    )) {
      expect(Object.keys(config.receivers)).toEqual(expect.arrayContaining(receivers ?? []));
      expect(Object.keys(config.exporters)).toEqual(expect.arrayContaining(exporters ?? []));
    }
  });

  it('sends no traces by default, and starts the collector only with its own profile', () => {
    for (const [service, schema] of [
      [api, apiConfig],
      [worker, workerConfig],
    ] as const) {
      expect(settings(service, schema, needed).OTEL_EXPORTER_OTLP_ENDPOINT).toBeUndefined();
      const given = settings(service, schema, { ...needed, ...chosen });
      expect(given.OTEL_EXPORTER_OTLP_ENDPOINT).toBe(chosen['OTEL_EXPORTER_OTLP_ENDPOINT']);
    }
    expect(services['otel-collector']?.profiles).toEqual(['observability']);
  });

  it('publishes each port once and on this machine only, except those of the proxy', () => {
    const all = Object.entries(services).flatMap(([name, { ports = [] }]) =>
      name === 'proxy' ? [] : ports,
    );
    for (const port of all) expect(port).toMatch(/^127\.0\.0\.1:\d+:\d+$/);
    const outside = all.map((port) => port.split(':')[1]);
    expect(new Set(outside).size).toBe(outside.length);
    expect(services['proxy']?.ports).toEqual(['80:8080', '443:8443', '443:8443/udp']);
  });

  it('makes the API trust the addresses that the proxy forwards', () => {
    const { TRUSTED_PROXIES } = settings(api, apiConfig, needed);
    const subnet = /subnet: ([\d./]+)/.exec(text)?.[1];
    expect(TRUSTED_PROXIES).toEqual([subnet]);
  });

  it('declares every volume it mounts, and mounts every volume it declares', () => {
    const mounted = Object.values(services).flatMap(({ volumes = [] }) =>
      volumes.flatMap((volume) => (volume.startsWith('./') ? [] : [volume.split(':')[0]])),
    );
    expect(new Set(mounted)).toEqual(new Set(Object.keys(compose.volumes)));
    for (const [service, held] of [
      [api, 'api-keys'],
      [worker, 'keys'],
    ] as const) {
      expect(service?.volumes).toEqual([
        `${held}:/data/keys:ro`,
        'trust:/data/trust:ro',
        'temporal-client:/tls/client:ro',
      ]);
      expect(service?.environment?.['DATA_DIR']).toBe('/data');
    }
    // The service that changes keys mounts them writable, with the settings of the API.
    const { keys } = services;
    expect(keys?.volumes).toEqual(['keys:/data/keys', 'api-keys:/data/api-keys']);
    expect(keys?.environment?.['API_KEYS_DIR']).toBe('/data/api-keys');
    for (const name of ['DATA_DIR', 'BASE_URL', 'KEYS_PASSPHRASE']) {
      expect(keys?.environment?.[name]).toBe(api?.environment?.[name]);
    }
  });

  it('creates the bucket that the processes use', () => {
    const { S3_BUCKET } = settings(api, apiConfig, needed);
    expect(JSON.stringify(services['objects-bucket'])).toContain(`"/objects/${S3_BUCKET}"`);
  });

  it('uses no deprecated image, and gives every running service a health check', () => {
    for (const [name, service] of Object.entries(services)) {
      expect(service.image, name).not.toMatch(/auto-setup|minio|alpine/);
      expect(['admin', 'core', 'full', 'keys', 'observability'], name).toEqual(
        expect.arrayContaining(service.profiles ?? ['none']),
      );
      if (service.restart === 'no' || name === 'otel-collector') continue;
      expect(service.healthcheck, name).toBeDefined();
    }
  });

  it('waits for health, or for the end of a job, within the same profiles', () => {
    for (const { depends_on = {}, profiles = [] } of Object.values(services)) {
      for (const [name, { condition }] of Object.entries(depends_on)) {
        const isOnce = services[name]?.restart === 'no';
        expect(condition).toBe(isOnce ? 'service_completed_successfully' : 'service_healthy');
        expect(services[name]?.profiles).toEqual(expect.arrayContaining(profiles));
      }
    }
  });

  it('reaches Temporal only by mutual TLS, under the names in its certificate', () => {
    const { environment: server = {}, volumes } = services['temporal'] ?? {};
    expect(server['TEMPORAL_TLS_REQUIRE_CLIENT_AUTH']).toBe('true');
    expect(volumes).toContain('temporal-server:/tls/server:ro');
    const clients = Object.entries(services).filter(
      ([, { environment = {} }]) => environment['TEMPORAL_ADDRESS'] !== undefined,
    );
    expect(clients.map(([name]) => name)).toEqual(
      expect.arrayContaining(['api', 'worker', 'temporal-ui', 'temporal-namespace']),
    );
    for (const [name, { environment = {}, profiles = [], volumes: mounted }] of clients) {
      // It does not call Temporal: it only shares the settings of the others.
      if (profiles.some((profile) => ['admin', 'keys'].includes(profile))) continue;
      expect(mounted, name).toContain('temporal-client:/tls/client:ro');
      expect(environment, name).toMatchObject({
        TEMPORAL_ADDRESS: 'temporal:7233',
        TEMPORAL_TLS_CA: '/tls/client/ca.pem',
        TEMPORAL_TLS_CERT: '/tls/client/client.pem',
        TEMPORAL_TLS_KEY: '/tls/client/client.key.pem',
      });
    }
  });
});
