import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it, vi } from 'vitest';
import { readCrl } from '../../../domain/pki/revocation/crl.ts';
import { keepDevListsFresh, keepDevTrust } from '../../../simulator/roots/dev-trust.ts';
import { eventually } from '../../support/platform/harness.ts';

const directory = mkdtempSync(join(tmpdir(), 'trustcheck-dev-lists-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));
const crl = () => readCrl(readFileSync(join(directory, 'dev-trust', 'crls', 'utopia.crl')));
const listedAt = () => statSync(join(directory, 'dev-trust', 'status-list.json')).mtime;

it('a platform that runs for months renews the lists of its simulated State', async () => {
  const begun = new Date('2026-11-22T00:00:00Z');
  const later = new Date('2027-02-21T00:00:00Z');
  await keepDevTrust(directory, begun);
  expect(crl().nextUpdate?.getTime()).toBeLessThan(later.getTime());
  const running = new AbortController();
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const faults: unknown[] = [];
  keepDevListsFresh(directory, {
    clock: () => later,
    signal: running.signal,
    onFault: (error) => void faults.push(error),
  });
  vi.advanceTimersByTime(12 * 3600_000);
  await eventually('a new CRL', async () => crl().thisUpdate.getTime() === later.getTime());
  expect(crl().nextUpdate?.getTime()).toBeGreaterThan(later.getTime());
  expect(listedAt()).toEqual(later);
  running.abort();
  expect(vi.getTimerCount()).toBe(0);
  vi.useRealTimers();
  expect(faults).toEqual([]);
});
