import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { EvidenceFileError } from '../../../domain/evidence/file.ts';
import { readEvidenceFile } from '../../../domain/judging/files.ts';
import { verifyEvidence } from '../../../domain/judging/verifiers.ts';
import type { Verdict } from '../../../domain/proofs/verdict.ts';
import {
  app,
  clientData,
  mintAssertion,
  mintAttestation,
  rootPem,
  vectors,
} from '../../support/fixtures/devices/apple-fixtures.ts';
import { at } from '../../support/fixtures/passports/fixtures.ts';

interface File {
  readonly kind: string;
  readonly at: string;
  readonly policy: Record<string, unknown>;
  readonly input: Record<string, unknown>;
}

const base64 = (value: Uint8Array): string => Buffer.from(value).toString('base64');
const appPolicy = { team_id: app.teamId, bundle_id: app.bundleId };
const { phone, input } = mintAttestation();
const spki = base64(phone.publicKeySpki);
const asserted = mintAssertion(phone);

const files: Record<string, File> = {
  'apple-attestation': {
    kind: 'apple-attestation',
    at: at.toISOString(),
    policy: { ...appPolicy, environment: 'production', root_pem: rootPem },
    input: {
      attestation: base64(input.attestation),
      key_id: base64(phone.keyId),
      client_data: base64(clientData),
    },
  },
  'apple-assertion': {
    kind: 'apple-assertion',
    at: at.toISOString(),
    policy: { ...appPolicy, counter_last: 0 },
    input: {
      assertion: base64(asserted.input.assertion),
      public_key_spki: spki,
      client_data: base64(clientData),
    },
  },
  'apple-receipt': {
    kind: 'apple-receipt',
    at: at.toISOString(),
    policy: { ...appPolicy, public_key_spki: spki, root_pem: rootPem },
    input: { receipt: base64(phone.receipt('RECEIPT', 2)) },
  },
};

const contentOf = (file: unknown): Buffer =>
  Buffer.from(JSON.stringify({ format: 'trustcheck-evidence/1', images: [], ...Object(file) }));
const judge = (file: unknown): Verdict => verifyEvidence(readEvidenceFile(contentOf(file)));

describe.each(Object.entries(files))('%s', (kind, file) => {
  it('passes as a file, and names its kind', () => {
    const verdict = judge(file);
    expect([verdict.kind, verdict.verdict, verdict.reason_code]).toEqual([kind, 'passed', null]);
  });

  it('is checked against the team and the bundle of its policy', () => {
    expect(judge({ ...file, policy: { ...file.policy, team_id: 'X' } }).reason_code).toBe(
      'app_id_mismatch',
    );
    expect(judge({ ...file, policy: { ...file.policy, bundle_id: 'X' } }).reason_code).toBe(
      'app_id_mismatch',
    );
  });

  const required = ['input', ...Object.keys(file.input).map((name) => `input.${name}`)].concat(
    Object.keys(file.policy)
      .filter((name) => name !== 'root_pem' && !(kind === 'apple-receipt' && name.endsWith('spki')))
      .map((name) => `policy.${name}`),
  );
  it.each(required)('is refused as unreadable without %s', (path) => {
    const copy: Record<string, Record<string, unknown>> = structuredClone(Object(file));
    const [section = '', name] = path.split('.');
    if (name) delete copy[section]?.[name];
    else delete copy[section];
    expect(() => readEvidenceFile(contentOf(copy))).toThrow(EvidenceFileError);
  });

  it.each(Object.keys(file.input))('is refused as unreadable with invalid base64 in %s', (name) => {
    for (const text of ['!!!!', 'AAA', 'A', '____', 'AA==AA==', 7, null]) {
      const changed = { ...file, input: { ...file.input, [name]: text } };
      expect(() => readEvidenceFile(contentOf(changed))).toThrow(EvidenceFileError);
    }
  });

  it.each(Object.keys(file.input))('fails when %s is empty or has other bytes', (name) => {
    for (const bytes of ['', base64(Buffer.alloc(200, 0x9f))]) {
      const verdict = judge({ ...file, input: { ...file.input, [name]: bytes } });
      expect(verdict.verdict).toBe('failed');
    }
  });

  it('fails as malformed when its evidence is truncated', () => {
    const [name = '', value] = Object.entries(file.input)[0] ?? [];
    const cut = base64(Buffer.from(String(value), 'base64').subarray(0, -1));
    const verdict = judge({ ...file, input: { ...file.input, [name]: cut } });
    expect(verdict.reason_code).toBe('malformed');
  });
});

describe('apple-attestation', () => {
  const file = files['apple-attestation'];
  if (!file) throw new Error('no file');
  const judgeUnder = (policy: Record<string, unknown>) =>
    judge({ ...file, policy: { ...file.policy, ...policy } }).reason_code;

  it('is checked against the environment, categories, bundle versions and root of its policy', () => {
    expect(judgeUnder({ environment: 'development' })).toBe('environment_mismatch');
    expect(judgeUnder({ categories: [2] })).toBe('category_refused');
    expect(judgeUnder({ categories: [2, 4], require_category: true })).toBe(null);
    expect(judgeUnder({ bundle_versions: ['1'] })).toBe(null);
    expect(judgeUnder({ bundle_versions: ['2'] })).toBe('bundle_version_refused');
    expect(judgeUnder({ root_pem: undefined })).toBe('chain_untrusted');
    expect(judgeUnder({ root_pem: 'no PEM' })).toBe('malformed');
  });

  it('accepts a hash instead of the client data', () => {
    const [vector] = vectors;
    if (!vector) throw new Error('no vectors');
    const real = {
      kind: 'apple-attestation',
      at: vector.recordedAt,
      policy: {
        team_id: vector.teamId,
        bundle_id: vector.bundleId,
        environment: vector.environment,
      },
      input: {
        attestation: vector.attestation,
        key_id: vector.keyId,
        client_data_hash: vector.clientDataHash,
      },
    };
    expect(judge(real).verdict).toBe('passed');
    expect(judge({ ...real, at: vector.leafNotBefore }).verdict).toBe('passed');
    expect(judge({ ...real, at: '2026-11-21T00:00:00Z' }).reason_code).toBe('cert_expired');
  });
});

it('apple-assertion is checked against counter, environment, categories and bundle versions', () => {
  const file = files['apple-assertion'];
  const judgeUnder = (policy: Record<string, unknown>) =>
    judge({ ...file, policy: { ...file?.policy, ...policy } }).reason_code;
  expect(judgeUnder({ counter_last: 1 })).toBe('counter_replay');
  expect(judgeUnder({ environment: 'development' })).toBe('category_refused');
  expect(judgeUnder({ environment: 'development', categories: [4] })).toBe(null);
  expect(judgeUnder({ bundle_versions: ['2'] })).toBe('bundle_version_refused');
});

it('the command exits with 0 for passed, 1 for failed and 2 for unreadable', () => {
  const cli = new URL('../../../cli/trustcheck.mjs', import.meta.url).pathname;
  const run = (file: unknown) =>
    spawnSync(process.execPath, [cli, 'evidence', 'verify', '-', '--json'], {
      encoding: 'utf8',
      input: contentOf(file).toString(),
    });
  const file = files['apple-attestation'];
  const passed = run(file);
  expect([passed.status, JSON.parse(passed.stdout).verdict]).toEqual([0, 'passed']);
  const expired = run({ ...file, at: '2036-01-01T00:00:00Z' });
  expect([expired.status, JSON.parse(expired.stdout).reason_code]).toEqual([1, 'cert_expired']);
  const unread = run({ ...file, input: {} });
  expect([unread.status, unread.stdout]).toEqual([2, '']);
  expect(unread.stderr.trim().split('\n')).toHaveLength(1);
});
