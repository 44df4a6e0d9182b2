import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { verifyEvidenceFile } from '../../../cli/evidence/verify-evidence.ts';
import { EvidenceFileError } from '../../../domain/evidence/file.ts';
import { readEvidenceFile } from '../../../domain/judging/files.ts';
import { verifyEvidence } from '../../../domain/judging/verifiers.ts';
import { mintPassport, signActiveAuth } from '../../../simulator/passport/passport.ts';
import { commandHere } from '../../support/commands/command-here.ts';
import { vectorOf } from '../../support/fixtures/devices/android-fixtures.ts';
import { at, csca, holder, nonce } from '../../support/fixtures/passports/fixtures.ts';

const directory = mkdtempSync(join(tmpdir(), 'trustcheck-evidence-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const minted = mintPassport({
  csca,
  now: at,
  holder,
  documentNumber: 'L898902C3',
  expiresOn: '2030-04-15',
  chipKey: 'ec',
});
const base64 = (value: Uint8Array): string => Buffer.from(value).toString('base64');

const seventeen = Object.fromEntries(Array.from({ length: 17 }, (_, index) => [`DG${index}`, '']));

function evidence(change: Record<string, unknown> = {}) {
  const { sod, dataGroups, chipPrivateKey } = minted;
  if (!chipPrivateKey) throw new Error('the passport has no chip key');
  return {
    format: 'trustcheck-evidence/1',
    images: [],
    kind: 'emrtd',
    at: at.toISOString(),
    policy: { csca: [base64(csca.certificate)], require: ['active'] },
    input: {
      sod: base64(sod),
      data_groups: Object.fromEntries(
        Object.entries(dataGroups).map(([name, value]) => [name, base64(value)]),
      ),
      active_auth: {
        nonce: base64(nonce),
        signature: base64(signActiveAuth(chipPrivateKey, nonce)),
      },
    },
    ...change,
  };
}

async function run(content: unknown, ...flags: string[]) {
  const path = join(directory, 'evidence.json');
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  const { code, stdout, stderr } = await commandHere('', ['evidence', 'verify', path, ...flags]);
  return { code, out: stdout, err: stderr };
}

describe('trustcheck evidence verify', () => {
  it('exits 0 for a genuine passport, and prints the verdict as JSON', async () => {
    const { code, out } = await run(evidence(), '--json');
    const verdict = JSON.parse(out) as { verdict: string; checks: { name: string }[] };
    expect([code, verdict.verdict]).toEqual([0, 'passed']);
    expect(verdict.checks.map(({ name }) => name).join(' ')).toBe(
      'parse sod_signature dsc_chain csca_trusted dsc_dates revocation dg_hashes mrz expiry ' +
        'active_auth chip_auth',
    );
  });

  it('passes the sample of the documentation with the documented command', async () => {
    const root = new URL('../../../', import.meta.url);
    const document = readFileSync(new URL('docs/protocols/evidence.md', root), 'utf8');
    const [, named = ''] = /^npx trustcheck evidence verify (docs\/\S+)/m.exec(document) ?? [];
    const said: string[] = [];
    const written = vi.spyOn(process.stdout, 'write');
    written.mockImplementation((text) => said.push(String(text)) > 0);
    const code = await verifyEvidenceFile(new URL(named, root).pathname);
    written.mockRestore();
    expect([code, said.join('')]).toEqual([
      0,
      expect.stringMatching(/^android-key-attestation\n( {2}✓ \w+\n){13}passed\n$/),
    ]);
    const { input } = JSON.parse(readFileSync(new URL(named, root), 'utf8'));
    expect(input.chain).toEqual(vectorOf('Nokia X10').chain);
  });

  it('exits 1 for an expired passport, and names the reason', async () => {
    const { code, out } = await run(evidence({ at: '2031-01-01T00:00:00Z' }));
    expect(code).toBe(1);
    expect(out).toContain('failed');
  });

  it.each([
    ['an unknown kind', evidence({ kind: 'tea-leaves' })],
    ['an unknown format', evidence({ format: 'x' })],
    ['no input', evidence({ input: {} })],
    ['base64 that does not decode', evidence({ input: { ...evidence().input, sod: '!!' } })],
    ['no trust anchor', evidence({ policy: {} })],
    ['an invalid time', evidence({ at: 'yesterday' })],
    ['no JSON', '{'],
    ['an empty file', ''],
    ['a file of nothing but structure', '['.repeat(1_000_000)],
    ['a file of nothing but members', `[${'0,'.repeat(1_000_000)}0]`],
  ])('exits 2 with one line for %s', async (_name, content) => {
    const { code, out, err } = await run(content);
    expect([code, out]).toEqual([2, '']);
    expect(err.trim().split('\n')).toHaveLength(1);
    expect(err).not.toMatch(/\bat /);
    expect(err).not.toMatch(/invalid|expected|received|discriminator/i);
  });

  it.each([
    [{ at: undefined }, 'at: missing'],
    [{ at: 'noon' }, 'at: not an instant (ISO 8601)'],
    [{ kind: 'tea-leaves' }, 'kind: none of the kinds there are'],
    [{ kind: undefined }, 'kind: missing'],
    [{ format: 'x' }, 'format: not trustcheck-evidence/1'],
    [{ policy: 7 }, 'policy: not an object'],
    [{ policy: { csca: 'x' } }, 'policy.csca: not a list'],
    [{ policy: { csca: [], age_over: 200 } }, 'policy.age_over: over the limit of 150'],
    [{ policy: { csca: [], age_over: -1 } }, 'policy.age_over: under the least, 0'],
    [{ policy: { csca: [], age_over: '9' } }, 'policy.age_over: not a number'],
    [{ policy: { csca: [], require: ['x'] } }, 'policy.require.0: not active or chip or crl'],
    [{ policy: {} }, 'policy: neither csca nor master_list with master_list_root'],
    [{ input: { sod: '!!', data_groups: {} } }, 'input.sod: not standard base64'],
    [{ input: { sod: 'AAA', data_groups: {} } }, 'input.sod: not standard base64'],
    [{ input: { sod: '', data_groups: seventeen } }, 'input.data_groups: over the limit of 16'],
    [
      { kind: 'android-key-attestation', policy: { revocation: { entries: { a: 1 } } } },
      'policy.revocation: not a status list as it is published',
    ],
    [
      { kind: 'apple-receipt', policy: { team_id: '', bundle_id: '' }, input: { receipt: 7 } },
      'input.receipt: not a text',
    ],
    [
      {
        kind: 'apple-assertion',
        policy: { team_id: '', bundle_id: '', counter_last: 0 },
        input: { assertion: '', public_key_spki: '' },
      },
      'input: neither client_data nor client_data_hash',
    ],
    [
      { input: { sod: '', data_groups: { DGX: '' } } },
      'input.data_groups.DGX: not a name that is known here',
    ],
  ])('explains in words what is wrong with %j', (change, fault) => {
    const content = Buffer.from(JSON.stringify(evidence(change)));
    expect(() => readEvidenceFile(content)).toThrow(new EvidenceFileError(fault));
  });

  it('escapes control characters in its output', async () => {
    const name = 'DG1\u001b[2J\u009b\u202eexe\n.';
    const { code, err } = await run(evidence({ input: { sod: '', data_groups: { [name]: '' } } }));
    expect(code).toBe(2);
    expect(err).toContain('DG1[U+001B][2J[U+009B][U+202E]exe[U+000A].');
    expect(err).toMatch(/^[^\p{C}]+\n$/u);
    const long = await run(
      evidence({ input: { sod: '', data_groups: { ['x'.repeat(100_000)]: '' } } }),
    );
    expect(long.err.length).toBeLessThan(1100);
  });

  it('verifies several files, one per line, and exits with the worst result', async () => {
    const late = { at: '2031-01-01T00:00:00Z' };
    const lines = (...files: unknown[]) =>
      files.map((file) => `${JSON.stringify(file)}\n`).join('');
    expect(await run(lines(evidence(), evidence()))).toEqual({
      code: 0,
      out: '1 emrtd passed\n2 emrtd passed\n',
      err: '',
    });
    const mixed = await run(lines(evidence(), evidence(late), evidence()));
    expect(mixed.code).toBe(1);
    expect(mixed.out).toBe(
      '1 emrtd passed\n2 emrtd failed: document_expired (expiry: 2030-04-15)\n3 emrtd passed\n',
    );
    const told = JSON.parse((await run(lines(evidence(), evidence(late)), '--json')).out);
    expect(told).toMatchObject([{ verdict: 'passed' }, { verdict: 'failed' }]);
    const broken = await run(lines(evidence(), { ...evidence(), kind: 'tea-leaves' }, evidence()));
    expect([broken.code, broken.out]).toEqual([2, '1 emrtd passed\n']);
    expect(broken.err).toMatch(/^line 2: kind: .+\n$/);
  });

  it('ignores a record beside evidence, and finds a record alone inconclusive', async () => {
    const input = { link_session_id: 'tc_1', phone_number: '+4915112345678', salt: 'AAAA' };
    const { policy: _, ...record } = evidence({ kind: 'sms-code', input });
    const alone = await run(record, '--json');
    expect([alone.code, JSON.parse(alone.out)]).toMatchObject([
      1,
      { verdict: 'inconclusive', reason_code: 'not_repeatable' },
    ]);
    const beside = await run(`${JSON.stringify(record)}\n${JSON.stringify(evidence())}`);
    expect([beside.code, beside.out]).toEqual([
      0,
      '1 sms-code inconclusive: not_repeatable\n2 emrtd passed\n',
    ]);
    const odd = { ...record, input: { ...input, phone_number: 'a number' } };
    expect((await run(`${JSON.stringify(odd)}\n${JSON.stringify(evidence())}`)).code).toBe(1);
  });

  it('verifies a file that spans many lines', async () => {
    expect((await run(JSON.stringify(evidence(), null, 2))).code).toBe(0);
  });

  it('exits 2 for a missing file', async () => {
    expect((await commandHere('', ['evidence', 'verify', '/nowhere'])).code).toBe(2);
  });

  it('verifies MRZ lines from the same file format', () => {
    const lines = [
      'P<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<',
      'L898902C36UTO7408122F1204159ZE184226B<<<<<10',
    ];
    const file = {
      format: 'trustcheck-evidence/1',
      images: [],
      kind: 'mrz',
      at: '2010-01-01T00:00:00Z',
      input: { lines },
    };
    const verdict = verifyEvidence(readEvidenceFile(Buffer.from(JSON.stringify(file))));
    expect(verdict.checks.map(({ name }) => name)).toEqual([
      'format',
      'check_digits',
      'country',
      'dates',
    ]);
    expect(verdict.verdict).toBe('passed');
  });
});
