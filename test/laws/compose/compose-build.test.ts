import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { documents } from '../../../api/docs/site/pages.ts';

interface Service {
  readonly image?: string;
  readonly command?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly depends_on?: Readonly<Record<string, object>>;
}
const text = readFileSync(new URL('../../../docker-compose.yml', import.meta.url), 'utf8');
const { services } = parse(text, { merge: true }) as { services: Record<string, Service> };
const { worker, 'current-build': job } = services;

it('the image has every document that the API serves', () => {
  const dockerfile = readFileSync(new URL('../../../Dockerfile', import.meta.url), 'utf8');
  const copied = [...dockerfile.matchAll(/^COPY (?!--)(.+) \S+$/gm)].flatMap(([, sources = '']) =>
    sources.split(' '),
  );
  const missing = [...documents().pages.values()]
    .map(({ file }) => `docs/${file}`)
    .filter((path) => !copied.some((source) => path === source || path.startsWith(`${source}/`)));
  expect(missing).toEqual([]);
});

it('docker-compose.yml makes the build of its own workers current', () => {
  expect(job?.command).toEqual(['node', 'cli/trustcheck.mjs', 'workers', 'set-current']);
  expect(job?.image).toBe(worker?.image);
  expect(Object.keys(job?.depends_on ?? {})).toEqual(['worker']);
  const { WORKER_VERSIONING, ...ofWorker } = worker?.environment ?? {};
  for (const [name, value] of Object.entries(job?.environment ?? {})) {
    expect(name).toMatch(/^TEMPORAL_/);
    expect(value, name).toBe(ofWorker[name]);
  }
  // Left to the profile, which is production.
  expect(WORKER_VERSIONING).toBe('${WORKER_VERSIONING:-}');
});
