import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { commandHere } from '../../support/commands/command-here.ts';

const path = (name: string): string => fileURLToPath(new URL(name, import.meta.url));
const list = path('../../vectors/nfc-masterlist-DE-2026-05-28.ml');
const root = path('../../vectors/nfc-csca-DE-root.cer');
const at = ['--at', '2026-11-21T00:00:00Z'];

async function run(...words: string[]) {
  const { code, stdout, stderr } = await commandHere('', ['evidence', 'coverage', ...words]);
  return { code, out: stdout, err: stderr };
}

describe('trustcheck evidence coverage', () => {
  it('counts the German master list by country, algorithm and age', async () => {
    const { code, out } = await run('--master-list', list, '--root', root, ...at, '--json');
    expect(code).toBe(0);
    const { rows, missing, ...totals } = JSON.parse(out);
    expect(totals).toEqual({
      at: '2026-11-21T00:00:00.000Z',
      certificates: 588,
      unreadable: 0,
      countries: 112,
    });
    expect(rows.filter(({ country }: { country: string }) => country === 'AT')).toEqual(
      [
        ['ecdsa-sha384 brainpoolP384r1', 3, 3, 2.3, 12.1, '2039-11-23'],
        ['link ecdsa brainpoolP384r1', 3, 2, 2.3, 12.1, '2034-12-06'],
        ['link rsa 4096', 1, 0, 15.6, 15.6, '2026-07-19'],
        ['rsa-sha256 4096', 1, 0, 15.6, 15.6, '2026-07-19'],
      ].map(([algorithm, certificates, valid, newest, oldest, expires_on]) => ({
        country: 'AT',
        algorithm,
        certificates,
        valid,
        newest_age_years: newest,
        oldest_age_years: oldest,
        expires_on,
        signatures: 'taken',
      })),
    );
    const weak = rows.filter(({ signatures }: { signatures: string }) => signatures === 'sha1');
    expect(weak.map(({ country }: { country: string }) => country)).toEqual(
      'CN HU IT LT LV MT RO RU VA'.split(' '),
    );
    expect(missing).toContain('ID');
    expect(missing).not.toContain('AT');
  });

  it('prints a table, and combines several lists', async () => {
    const both = ['--master-list', list, '--root', root, '--master-list', list, '--root', root];
    const { code, out } = await run(...both, ...at);
    expect(code).toBe(0);
    expect(out).toMatch(/^country +algorithm +CSCAs +valid +newest +oldest +until +signatures$/m);
    expect(out).toMatch(/^RU +ecdsa-sha1 prime256v1 +3 +3 +7\.1 y +16\.8 y +2036-11-13 +sha1$/m);
    expect(out).toMatch(/^588 certificates of 112 countries$/m);
  });

  it.each([
    ['no list', [], /no master list/],
    ['a list without its root', ['--master-list', list], /each --master-list its --root/],
    ['another root', ['--master-list', list, '--root', list], /./],
    ['a root as a list', ['--master-list', root, '--root', root], /cannot be read/],
    ['no such file', ['--master-list', '/nowhere.ml', '--root', root], /does not exist/],
    ['no instant', ['--master-list', list, '--root', root, '--at', 'soon'], /--at/],
  ])('prints one line about the error for %s', async (_, words, fault) => {
    const { code, out, err } = await run(...words);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toMatch(fault);
    expect(err.trim().split('\n')).toHaveLength(1);
  });
});
