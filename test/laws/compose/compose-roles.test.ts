import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { databaseRoles } from '../../../db/rights/roles.ts';
import { needed } from './compose-settings.ts';

interface Service {
  readonly environment?: Readonly<Record<string, string>>;
}
const text = readFileSync(new URL('../../../docker-compose.yml', import.meta.url), 'utf8');
const { services } = parse(text, { merge: true }) as { services: Record<string, Service> };

/** The database role in the address of a service. */
function roleIn(service: string, variable: string): string {
  const url = services[service]?.environment?.[variable] ?? '';
  const filled = url.replaceAll(/\$\{(\w+):\?\}/g, (_, name: string) => needed[name] ?? '');
  return new URL(filled).username;
}

const holdersOf = (password: string): string[] =>
  Object.entries(services)
    .filter(([, service]) => JSON.stringify(service).includes(`\${${password}:?}`))
    .map(([name]) => name)
    .toSorted();

it('docker-compose.yml connects each process as its own role', () => {
  expect(roleIn('api', 'DATABASE_URL')).toBe(databaseRoles.api);
  expect(roleIn('worker', 'DATABASE_URL')).toBe(databaseRoles.worker);
  for (const name of ['database', 'migrate', 'admin', 'keys']) {
    expect(roleIn(name, 'MIGRATIONS_DATABASE_URL'), name).toBe(databaseRoles.owner);
  }
});

it('docker-compose.yml gives each password only to the services that connect with it', () => {
  expect(holdersOf('POSTGRES_PASSWORD')).toEqual(['database', 'postgres']);
  expect(holdersOf('POSTGRES_OWNER_PASSWORD')).toEqual(['admin', 'database', 'keys', 'migrate']);
  expect(holdersOf('POSTGRES_API_PASSWORD')).toEqual(['api', 'database']);
  expect(holdersOf('POSTGRES_WORKER_PASSWORD')).toEqual(['database', 'worker']);
  const temporals = ['postgres', 'temporal', 'temporal-schema'];
  expect(holdersOf('POSTGRES_TEMPORAL_PASSWORD')).toEqual(temporals);
});
