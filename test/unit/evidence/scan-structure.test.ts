import { describe, expect, it } from 'vitest';
import { EvidenceFileError } from '../../../domain/evidence/file.ts';
import { scanStructure } from '../../../domain/evidence/scan-structure.ts';
import { readEvidenceFile } from '../../../domain/judging/files.ts';

const scan = (text: string) => scanStructure(Buffer.from(text));
const deep = 'the file is no evidence: it nests deeper than 20';
const many = 'the file is no evidence: it has more than 200,000 members';

describe('the structure of a file', () => {
  it.each([
    ['brackets', '['.repeat(21), deep],
    ['objects', '{"":'.repeat(21), deep],
    ['entries', `[${'0,'.repeat(200_001)}0]`, many],
    ['empty lists', `[${'[],'.repeat(200_001)}[]]`, many],
    ['members', `{${'"a":0,'.repeat(100_001)}"a":0}`, many],
  ])('is refused before parsing: %s', (_name, text, fault) => {
    const read = () => readEvidenceFile(Buffer.from(text));
    expect(read).toThrow(EvidenceFileError);
    expect(read).toThrow(fault);
  });

  it.each(['{"input":{},"input":{}}', '[{"a":[{"b":1,"\\u0062":2}]}]'])(
    'is refused with a repeated member name: %s',
    (text) => {
      expect(() => readEvidenceFile(Buffer.from(text))).toThrow('the file has a name twice');
    },
  );

  it('is accepted up to the limits', () => {
    expect(scan(`${'['.repeat(20)}${']'.repeat(20)}`)).toMatchObject({
      isClosed: true,
      fault: null,
    });
    expect(scan(`[${'0,'.repeat(200_000)}0]`).fault).toBeNull();
    expect(scan(`[],`.repeat(50)).fault).toBeNull();
  });

  it('ignores the content of strings, including escapes', () => {
    const text = JSON.stringify({ a: `${'['.repeat(50)}"\\${','.repeat(300_000)}` });
    expect(scan(text)).toEqual({ isClosed: true, members: 1, fault: null });
    expect(scan('"\\\\",[[').isClosed).toBe(false);
    expect(scan('"\\"[[').isClosed).toBe(false);
  });

  it.each(['', '[', '"', '{"a":[}', '"\\', '"\\"'])('of %j is open until its end', (text) => {
    expect(scan(text).isClosed).toBe(text === '');
  });
});

describe('the lists of an evidence file', () => {
  const common = { format: 'trustcheck-evidence/1', images: [], at: '2026-11-21T00:00:00Z' };
  const times = (count: number, value: unknown) => Array.from({ length: count }, () => value);
  const groups = Object.fromEntries(times(17, '').map((value, index) => [`G${index}`, value]));
  const serials = Object.fromEntries(
    times(40_001, { status: 'REVOKED' }).map((value, index) => [`a${index}`, value]),
  );
  const chip = { sod: '', data_groups: {} };
  const key = { chain: [], challenge: '' };

  it.each([
    ['emrtd', { csca: times(10_001, '') }, chip],
    ['emrtd', { csca: [], crl: times(1001, '') }, chip],
    ['emrtd', { csca: [], require: times(11, 'chip') }, chip],
    ['emrtd', { csca: [] }, { ...chip, data_groups: groups }],
    ['mrz', {}, { lines: times(1001, '') }],
    ['android-key-attestation', {}, { ...key, chain: times(1001, '') }],
    ['android-key-attestation', { packages: times(1001, 'a') }, key],
    ['android-key-attestation', { signature_digests: times(1001, '') }, key],
    ['android-key-attestation', { root_pems: times(21, '') }, key],
    ['android-key-attestation', { root_pems: ['a'.repeat(65_537)] }, key],
    ['android-key-attestation', { revocation: { entries: serials } }, key],
    [
      'apple-assertion',
      { team_id: '', bundle_id: '', counter_last: 0, categories: times(1001, 1) },
      { assertion: '', public_key_spki: '', client_data: '' },
    ],
  ])('have a maximum length: %s', (kind, policy, input) => {
    const file = Buffer.from(JSON.stringify({ ...common, kind, policy, input }));
    expect(() => readEvidenceFile(file)).toThrow(/^[a-z._0-9]+: (over the limit of|at most) \d+/);
  });
});
