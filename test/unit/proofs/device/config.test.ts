import { mkdtemp, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  attestationConfig,
  createAttestation,
} from '../../../../activities/proofs/device/config.ts';
import { ownSecrets } from '../../../support/keys/own-secrets.ts';

const written = new Date('2031-05-01T12:00:00Z');
const day = 24 * 3600_000;
let directory = '';
let url = '';

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'trustcheck-status-'));
  const path = join(directory, 'status.json');
  await writeFile(path, JSON.stringify({ entries: {} }));
  await utimes(path, written, written);
  url = pathToFileURL(path).href;
});
afterAll(() => rm(directory, { recursive: true, force: true }));

it.each([
  ['written just now', 0, true],
  ['seven days old', 7 * day, true],
  ['older', 7 * day + 1000, false],
  ['older, but on a development platform', 99 * day, true],
] as const)(
  'the age of a local revocation list follows the clock of the process: %s',
  async (...of) => {
    const [what, ageMs, isGood] = of;
    const clock = (): Date => new Date(written.getTime() + ageMs);
    const parsed = attestationConfig.parse({ ANDROID_STATUS_LIST_URL: url });
    const config = {
      ...parsed,
      PROFILE: what.includes('development') ? 'development' : 'production',
    } as const;
    const lists = { of: () => Promise.resolve(null), keep: () => Promise.resolve() };
    const deps = { lists, keys: ownSecrets(), clock, log: { warn: () => undefined } };
    const asked = createAttestation(config, null, deps).revocationOf([]);
    if (isGood) expect(await asked).toEqual({ entries: {} });
    else await expect(asked).rejects.toMatchObject({ code: 'dependency_unavailable' });
  },
);
