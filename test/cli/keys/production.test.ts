import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compiledDirectory } from '../../../cli/platform/cache.ts';
import { ownDirectory } from '../../support/commands/run-command.ts';

let directory = { path: '', remove: async (): Promise<void> => undefined };
let pem = '';
beforeAll(async () => {
  directory = await ownDirectory();
  pem = join(directory.path, 'roots.pem');
  await writeFile(pem, 'roots of the simulator');
});
afterAll(() => directory.remove());

/** Settings with which a process would continue, to a database that does not exist. */
function settings(): Record<string, string> {
  return {
    BASE_URL: 'https://trust.example.test',
    DATA_DIR: directory.path,
    DATABASE_URL: 'postgres://trustcheck@127.0.0.1:1/trustcheck',
    TEMPORAL_ADDRESS: '127.0.0.1:1',
    NODE_COMPILE_CACHE: compiledDirectory(),
  };
}

function run(entry: string, env: Record<string, string>): Promise<{ code: number; said: string }> {
  const path = new URL(`../../../${entry}`, import.meta.url).pathname;
  return new Promise((resolve) => {
    execFile(process.execPath, [path], { env }, (error, stdout, stderr) => {
      resolve({ code: Number(error?.code ?? 0), said: `${stdout}${stderr}` });
    });
  });
}

describe.each(['api/main.ts', 'workers/main.ts'])('%s', (entry) => {
  it.each([
    ['DEV_ATTESTATION_ROOTS', 'production'],
    ['DEV_CSCA', 'production'],
    ['DEV_CSCA', undefined],
  ])('refuses to start with %s in production, which is the default', async (name, profile) => {
    const env = { ...settings(), [name]: pem, ...(profile ? { PROFILE: profile } : {}) };
    const { code, said } = await run(entry, env);
    expect(code).toBe(1);
    expect(said).toBe('DEV_ATTESTATION_ROOTS and DEV_CSCA must not be set in production\n');
  });

  it('accepts development trust anchors only by their hash', async () => {
    const env = { ...settings(), PROFILE: 'development', DEV_CSCA: pem };
    const wrong = await run(entry, { ...env, DEV_CSCA_SHA256: 'a'.repeat(64) });
    expect(wrong).toEqual({
      code: 1,
      said: 'DEV_CSCA: the file does not have the hash DEV_CSCA_SHA256\n',
    });
  });
});
