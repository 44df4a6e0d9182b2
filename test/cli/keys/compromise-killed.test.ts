import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createDevPki } from '../../../activities/keys/changes/dev-pki.ts';
import { nextWith } from '../../../activities/keys/changes/rotate-keys.ts';
import { loadKeys } from '../../../activities/keys/directory/load-keys.ts';
import { makeAccount } from '../../../cli/admin/admin.ts';
import { compromise, publish } from '../../../cli/keys/change-keys.ts';
import {
  compromiseMasterSecret,
  publishMasterSecret,
} from '../../../cli/keys/change-master-secret.ts';
import type { Db } from '../../../db/client.ts';
import { isListed } from '../../../domain/pki/revocation/root-crl.ts';
import { ownProcesses, trustcheck } from '../../support/commands/run-command.ts';
import { createDatabase } from '../../support/platform/harness.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';

const directory = mkdtempSync(join(tmpdir(), 'trustcheck-killed-'));
const place = join(directory, 'keys');
const baseUrl = 'https://trust.example.test';
const since = '2026-11-01T00:00:00Z';
const preload = new URL('killed-at.mjs', import.meta.url).href;
const processes = ownProcesses();
let db: Db;
let url: string;
let drop: () => Promise<void>;
let account: string;

beforeAll(async () => {
  ({ db, url, drop } = await createDatabase(ownPlatform().databaseUrl));
  account = String(await makeAccount(db, { name: 'operator' }, new Date()));
});
beforeEach(async () => {
  rmSync(place, { recursive: true, force: true });
  await createDevPki(place, { now: new Date(), baseUrl });
});
afterAll(async () => {
  processes.end();
  await drop();
  rmSync(directory, { recursive: true, force: true });
});

const given = () => ({ dataDir: directory, baseUrl, account });

/** Calls at which a command is killed: the rename that makes a change count, and the call after. */
const kills = [
  { when: 'before its files count', at: 'rename', path: '/pending' },
  { when: 'after its files count', at: 'rm', path: '/next/' },
] as const;

async function compromiseKilled(name: string, at: string, path: string): Promise<void> {
  const words = ['admin', 'keys', 'compromise', name, '--account', account, '--since', since];
  const { child, ended } = trustcheck(directory, words, {
    MIGRATIONS_DATABASE_URL: url,
    BASE_URL: baseUrl,
    NODE_OPTIONS: `--import=${preload}`,
    KILLED_AT: at,
    KILLED_PATH: path,
  });
  processes.note(child.pid);
  const { code, stdout } = await ended;
  expect([code, stdout, child.signalCode]).toEqual([null, '', 'SIGKILL']);
}

describe.each(kills)('compromise killed $when', ({ at, path }) => {
  const pathOf = (file: string): string => (path === '/pending' ? path : `${path}${file}`);

  it.each(['tokens', 'people-ca', 'services-ca'] as const)(
    'revokes the published next %s when it runs again',
    async (name) => {
      await publish(db, { ...given(), name }, new Date());
      const before = loadKeys(place);
      const discarded = nextWith(before, name);
      await compromiseKilled(name, at, pathOf(`${name}.cer.pem`));
      // A running process loads what the killed command left.
      loadKeys(place);
      await compromise(db, { ...given(), name, since }, new Date());
      const after = loadKeys(place);
      const ended = [...after.retired, ...after.retiredTokens];
      for (const { kid, certificate, name: each } of discarded) {
        const serial = certificate.serialNumber.toLowerCase();
        const { rows } = await db.query<{ revoked: boolean }>(
          'SELECT revoked_at IS NOT NULL AS revoked FROM certificates WHERE serial = $1',
          [serial],
        );
        if (!certificate.ca) expect([each, rows]).toEqual([each, [{ revoked: true }]]);
        if (certificate.ca) expect(isListed(after.root.crl ?? Buffer.of(), certificate)).toBe(true);
        if (each === 'seal' || each === 'tsa') continue;
        const reason = ended.find((key) => key.kid === kid)?.revoked?.reason;
        expect([each, reason]).toEqual([each, 'compromised']);
      }
      expect(after.next).toEqual([]);
      expect(readdirSync(join(place, 'next'))).toEqual([]);
    },
  );

  it('never reuses the number of a discarded master secret', async () => {
    await publishMasterSecret(db, given(), new Date());
    const discarded = loadKeys(place).secretVersions.find(({ state }) => state === 'next');
    await compromiseKilled('master-secret', at, pathOf('master.secret'));
    loadKeys(place);
    await compromiseMasterSecret(db, { ...given(), since }, new Date());
    const { secretVersions } = loadKeys(place);
    const found = secretVersions.filter(({ version }) => version === discarded?.version);
    expect(found).toMatchObject([{ id: discarded?.id, state: 'revoked' }]);
    expect(readdirSync(join(place, 'next'))).toEqual([]);
  });
});
