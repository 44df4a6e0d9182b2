import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { apiConfig } from '../../api/config.ts';
import { families } from '../../api/families.ts';
import { workerConfig } from '../../workers/config.ts';
import { searchAttributeKeys } from '../../workflows/search-attributes.ts';

interface Service {
  readonly image?: string;
  readonly environment?: Record<string, string>;
  readonly ports?: string[];
  readonly healthcheck?: { test: string[] };
  readonly depends_on?: Record<string, { condition: string }>;
  readonly profiles?: string[];
  readonly restart?: string;
  readonly security_opt?: string[];
  readonly read_only?: boolean;
  readonly user?: string;
  readonly command?: string | string[];
}
const text = readFileSync(new URL('../../docker-compose.yml', import.meta.url), 'utf8');
const compose = parse(text, { merge: true }) as {
  services: Record<string, Service>;
};
const { services } = compose;
const { api, worker } = services;

/** What an operator would put into the variables the file asks for. */
const examples: Readonly<Record<string, string>> = {
  BASE_URL: 'https://trust.example.test',
  S3_PUBLIC_ENDPOINT: 'https://objects.example.test',
  S3_ACCESS_KEY_ID: 'AKIAIOSFODNN7EXAMPLE',
  S3_SECRET_ACCESS_KEY: 'a-secret-of-forty-characters-0123456789',
  TWILIO_ACCOUNT_SID: `AC${'0'.repeat(32)}`,
  TWILIO_AUTH_TOKEN: '0'.repeat(32),
  TWILIO_FROM: '+15005550006',
  SENDGRID_API_KEY: `SG.${'a'.repeat(22)}.${'b'.repeat(43)}`,
  SENDGRID_FROM: 'checks@example.test',
};

describe('docker-compose.yml', () => {
  it('gives API and worker settings they know, and every one they need', () => {
    for (const [service, schema] of [
      [api, apiConfig],
      [worker, workerConfig],
    ] as const) {
      const given = service?.environment ?? {};
      for (const name of Object.keys(given)) expect(Object.keys(schema.shape)).toContain(name);
      const values = Object.fromEntries(
        Object.entries(given).map(([name, value]) => [name, examples[name] ?? value]),
      );
      expect(schema.safeParse(values).error).toBeUndefined();
    }
  });

  it('asks for health where the processes answer it', () => {
    const paths = families.flatMap(({ routes }) => routes.map(({ contract }) => contract.path));
    expect(paths).toContain('/readyz');
    expect(api?.healthcheck?.test.join(' ')).toContain(
      `127.0.0.1:${api?.environment?.['PORT']}/readyz`,
    );
    expect(worker?.healthcheck?.test.join(' ')).toContain(
      `127.0.0.1:${worker?.environment?.['WORKER_PORT']}/readyz`,
    );
  });

  it('opens ports on this machine only', () => {
    for (const { ports = [] } of Object.values(services)) {
      for (const port of ports) expect(port).toMatch(/^127\.0\.0\.1:\d+:\d+$/);
    }
  });

  it('pins images, uses none that is deprecated or gone, and hardens what runs', () => {
    for (const [name, service] of Object.entries(services)) {
      expect(service.image, name).toMatch(/^[\w./-]+:v?\d[\w.-]*$/);
      expect(service.image, name).not.toMatch(/auto-setup|minio|alpine/);
      expect(service.profiles?.length, name).toBeGreaterThan(0);
      if (service.restart === 'no') continue;
      expect(service.security_opt, name).toContain('no-new-privileges:true');
      if (name !== 'otel-collector') expect(service.healthcheck, name).toBeDefined();
    }
    for (const service of [api, worker]) {
      expect(service).toMatchObject({ user: 'node', read_only: true });
    }
  });

  it('waits for health, or for the end of what runs once', () => {
    for (const { depends_on = {} } of Object.values(services)) {
      for (const [name, { condition }] of Object.entries(depends_on)) {
        const isOnce = services[name]?.restart === 'no';
        expect(condition).toBe(isOnce ? 'service_completed_successfully' : 'service_healthy');
      }
    }
  });

  it('registers every search attribute', () => {
    const script = String(services['temporal-namespace']?.command);
    for (const { name } of searchAttributeKeys) expect(script).toContain(name);
  });
});
