import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { ownDirectory } from '../../support/commands/run-command.ts';
import { printedWords } from '../../support/fixtures/affidavits/printed-words.ts';
import { call, passedSession, withAffidavit } from '../../support/http/client.ts';
import { platformKeys } from '../../support/keys/bundles.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';

const { baseUrl, own } = ownPlatform();
const directory = await ownDirectory();
afterAll(() => directory.remove());

/** Poppler, OpenSSL and Python are no npm packages, so the test is skipped without them. */
const hasTools = ['pdfsig', 'pdfdetach', 'pdftotext', 'openssl', 'curl', 'python3'].every(
  (tool) => spawnSync('sh', ['-c', `command -v ${tool}`]).status === 0,
);

/** Returns the blocks of the page as one program, without those that contain these words. */
async function program(without?: string): Promise<string> {
  const page = await readFile(
    new URL('../../../docs/protocols/verify.md', import.meta.url),
    'utf8',
  );
  const blocks = Array.from(page.matchAll(/^```sh\n([^]*?)^```$/gm), ({ 1: block }) => block ?? '');
  expect(blocks).toHaveLength(7);
  const run = blocks.filter((block) => without === undefined || !block.includes(without));
  return ['set -eu', ...run].join('\n');
}

it.skipIf(!hasTools)(
  'the guide on offline verification runs, and rejects a changed file',
  async () => {
    const session = await passedSession();
    const done = await withAffidavit(session);
    const { affidavit_id: id = '' } = done.body['affidavit'] as Record<string, string>;
    const path = `/v2/affidavits/${own.app_id}/${session.id}/download`;
    const { headers } = await call('GET', path, { token: own.api_key });
    const pdf = Buffer.from(await (await fetch(headers.get('location') ?? '')).arrayBuffer());
    const { fingerprint256: root } = platformKeys().root.certificate;
    const given = { TRUSTCHECK_URL: baseUrl, AFFIDAVIT: id, ROOT: root };
    const type = (words: string, env: Partial<typeof given> = {}) =>
      spawnSync('sh', ['-c', words], {
        cwd: directory.path,
        env: { ...process.env, ...given, ...env },
        encoding: 'utf8',
      });
    const run = async (file: Buffer) => {
      await writeFile(join(directory.path, 'affidavit.pdf'), file);
      return type(await program());
    };
    await writeFile(join(directory.path, 'affidavit.pdf'), pdf);
    const byHash = await program('trust-bundle.pem');
    await writeFile(join(directory.path, 'root.pem'), 'a root of another time');
    expect(type(byHash, { ROOT: '' }).status).toBe(1);
    expect(existsSync(join(directory.path, 'root.pem'))).toBe(false);
    expect(type(byHash, { ROOT: `00${root.slice(2)}` }).status).toBe(1);
    const ofHash = type(byHash, { ROOT: root.replaceAll(':', '').toLowerCase() });
    expect([ofHash.status, ofHash.stderr]).toEqual([
      0,
      expect.stringContaining('CAdES Verification successful'),
    ]);
    const { status, stdout, stderr } = await run(pdf);
    expect([status, stdout]).toEqual([0, expect.stringContaining('Signature is Valid')]);
    expect(stderr).toContain('CAdES Verification successful');
    expect(`${stdout}${stderr}`.match(/^Verification: OK$/gm)).toHaveLength(2);
    expect(stdout).toMatch(/^in the log, sealed at .*\nSignature Verified Successfully$/m);
    const content = await readFile(join(directory.path, 'affidavit.json'), 'utf8');
    expect(JSON.parse(content)).toMatchObject({ affidavit_id: id });
    const printed = printedWords(JSON.parse(content));
    expect(type(printed).stderr).toContain('CAdES Verification successful');
    const pages = type('pdftotext -layout affidavit.pdf -').stdout.replaceAll(/ +/g, ' ');
    for (const line of printed.split('\n').slice(1)) {
      expect(pages).toContain(line.trim().replaceAll(/ +/g, ' '));
    }
    const proof = await readFile(join(directory.path, 'affidavit.tlog-proof'), 'utf8');
    expect(proof).toMatch(/^c2sp\.org\/tlog-proof@v1\n/);
    const changed = Buffer.from(pdf);
    const at = changed.indexOf('/Title');
    changed[at + 8] = (changed[at + 8] ?? 0) ^ 1;
    const refused = await run(changed);
    expect(refused.status).not.toBe(0);
    expect(refused.stderr).not.toContain('CAdES Verification successful');
    expect(type(printed).status).not.toBe(0);
    const goesOn = await run(Buffer.concat([pdf, Buffer.from('\n')]));
    expect([goesOn.status, goesOn.stdout.endsWith('not to its end\n')]).toEqual([1, true]);
  },
);
