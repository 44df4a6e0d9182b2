import { createHash, X509Certificate } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { commandHere } from '../../support/commands/command-here.ts';
import { ownDirectory } from '../../support/commands/run-command.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';

let directory = { path: '', remove: async (): Promise<void> => undefined };
beforeEach(async () => {
  directory = await ownDirectory();
});
afterEach(() => directory.remove());

const run = (flags: readonly string[]) => commandHere(join(directory.path, 'state'), flags);

describe('verify', () => {
  const root = join(ownPlatform().dataDir, 'keys', 'root.cer.pem');
  const text = (): string => join(directory.path, 'text.pdf');
  beforeEach(() => writeFileSync(text(), 'no PDF'));

  it('accepts any number of roots before and after the file', async () => {
    for (const words of [
      ['--root', root, text()],
      [text(), '--root', root],
      ['--root', root, '--tsa-root', inDer(), '--json', text()],
    ]) {
      const { code, stdout, stderr } = await run(['verify', ...words]);
      expect([code, stderr]).toEqual([2, '']);
      expect(stdout).toContain('not_an_affidavit');
    }
  });

  it('reports a file that is no PDF as invalid, as the help and quick start say', async () => {
    const { code } = await run(['verify', text()]);
    const { stdout } = await run(['verify', '--help']);
    expect([code, stdout]).toEqual([2, expect.stringContaining('another file is invalid')]);
    const page = readFileSync(new URL('../../../docs/quick-start.md', import.meta.url), 'utf8');
    expect(page).toContain('2 invalid or not a PDF, 3 indeterminate, 1 no verdict');
  });

  it('prints the error for a file that is no affidavit once, with the trust anchor', async () => {
    const { stdout } = await run(['verify', text(), '--root', root]);
    const { subject, raw } = new X509Certificate(readFileSync(root));
    const sha256 = createHash('sha256').update(raw).digest('hex');
    expect(stdout.split('\n')).toEqual([
      '  ✗ form (not_an_affidavit)',
      ...[
        'signature',
        'timestamp',
        'document_timestamp',
        'chains',
        'revocation',
        'attachment',
        'revisions',
        'pages',
        'in_force',
        'standing',
      ].map((name) => `  – ${name} (not checked, because an earlier check failed)`),
      `trust anchor: ${subject.split('\n').join(', ')}, SHA-256 ${sha256}`,
      'not_an_affidavit: The file is not a PDF, or it is larger than any affidavit. ' +
        'Select the affidavit itself.',
      'invalid: not_an_affidavit',
      '',
    ]);
  });

  it.each([
    ['a missing file', () => ['nowhere.pdf'], 'nowhere.pdf: does not exist\n'],
    ['a directory', () => [directory.path], `is a directory\n`],
    ['a missing root', () => ['--root', 'no.pem', text()], 'no.pem: does not exist\n'],
    ['a directory as root', () => ['--root', '/tmp', text()], '/tmp: is a directory\n'],
    [
      'a root file without a certificate',
      () => ['--root', text(), text()],
      'no certificate in PEM or DER\n',
    ],
    ['a damaged root', () => ['--root', damaged(), text()], 'not a certificate in PEM\n'],
    [
      'a root with trailing bytes',
      () => ['--root', inDer('more'), text()],
      'no certificate in PEM or DER\n',
    ],
    ['a missing CRL', () => ['--crl', 'no.crl', text()], 'no.crl: does not exist\n'],
    ['a file that is no CRL', () => ['--crl', root, text()], 'no CRL in PEM or DER\n'],
    ['an invalid time', () => ['--at', 'noon', text()], '--at noon: not a time (ISO 8601)\n'],
    ['a name with control characters', () => ['\u001b[2J\u202e.pdf'], '[U+001B][2J[U+202E].pdf: d'],
  ])('exits 1 with one line and no verdict for %s', async (_what, words, fault) => {
    const { code, stdout, stderr } = await run(['verify', ...words()]);
    expect([code, stdout, stderr.split('\n').length]).toEqual([1, '', 2]);
    expect(stderr).toContain(fault);
  });

  function inDer(rest = ''): string {
    const path = join(directory.path, 'root.cer');
    const { raw } = new X509Certificate(readFileSync(root));
    writeFileSync(path, Buffer.concat([raw, Buffer.from(rest)]));
    return path;
  }

  function damaged(): string {
    const path = join(directory.path, 'damaged.pem');
    const frame = ['-----BEGIN CERTIFICATE-----', '-----END CERTIFICATE-----'];
    writeFileSync(path, frame.join('\nMIIB\n'));
    return path;
  }
});
