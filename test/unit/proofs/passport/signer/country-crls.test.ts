import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadCountryCrls } from '../../../../../activities/proofs/passport/config.ts';
import {
  openCountryCrls,
  rereadMs,
} from '../../../../../activities/proofs/passport/country-crls.ts';
import { createLogger } from '../../../../../activities/runtime/log.ts';
import { readCountryCertificate } from '../../../../../domain/proofs/passport/signer/certificate.ts';
import { createCscaStore } from '../../../../../domain/proofs/passport/signer/master-list.ts';
import { issueCrl } from '../../../../../simulator/roots/crl.ts';
import { createDevCsca, issueSigner } from '../../../../../simulator/roots/passport.ts';
import { at, csca, flipped, heldTrust } from '../../../../support/fixtures/passports/fixtures.ts';

const elsewhere = createDevCsca(at, { commonName: 'CSCA Elsewhere', profile: 'rsa-pss' });
const unknown = createDevCsca(at, { commonName: 'CSCA Unknown' });
const trusted = createCscaStore([csca.certificate, elsewhere.certificate]);
const cscaStore = async () => trusted;
const none = { of: async () => null, keep: async () => undefined };
const signer = readCountryCertificate(issueSigner(csca, at).certificate);
const day = 24 * 3600_000;
const later = (ms: number): Date => new Date(at.getTime() + ms);
const pem = (der: Uint8Array): string =>
  `-----BEGIN X509 CRL-----\n${Buffer.from(der).toString('base64')}\n-----END X509 CRL-----\n`;

let directory = '';
let now = at;
let said: { file?: string; fault?: string }[] = [];
const log = { warn: (line: object) => void said.push(line) };
const clock = (): Date => now;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'trustcheck-crls-'));
  now = at;
  said = [];
});
afterEach(() => rm(directory, { recursive: true, force: true }));

const keep = (name: string, content: string | Uint8Array): Promise<void> =>
  writeFile(join(directory, name), content);
const open = () => openCountryCrls({ directory, cscaStore, legacy: 'refuse', clock, log });
const hex = (lists: readonly { der: Uint8Array }[]): string[] =>
  lists.map(({ der }) => Buffer.from(der).toString('hex'));

describe('a directory of CRLs', () => {
  it('returns the latest list of the issuer, in DER or PEM', async () => {
    const [old, current] = [issueCrl(csca, [], later(-day)), issueCrl(csca, [], at)];
    await keep('a.pem', `comment\n${pem(issueCrl(elsewhere, [], at))}${pem(current)}`);
    await keep('b.CRL', old);
    await keep('README.txt', 'no list');
    const crls = await open();
    expect(hex(await crls.listsFor(signer))).toEqual(hex([{ der: current }]));
    const stranger = readCountryCertificate(issueSigner(unknown, at).certificate);
    expect(await crls.listsFor(stranger)).toEqual([]);
    expect(said).toEqual([]);
  });

  it('skips files that are not a list signed by a trusted CSCA, and logs their names', async () => {
    const good = issueCrl(csca, [], at);
    await keep('bent.crl', flipped(good, good.length * 8 - 8));
    await keep('cut.crl', good.subarray(0, 100));
    await keep('empty.pem', '');
    await keep('good.crl', good);
    await keep('huge.crl', Buffer.alloc(2 * 1024 * 1024 + 1, 0x30));
    await keep('stranger.crl', issueCrl(unknown, [], at));
    const crls = await open();
    expect(hex(await crls.listsFor(signer))).toEqual(hex([{ der: good }]));
    expect(said.map(({ file, fault }) => [file, fault?.split(':')[0]])).toEqual([
      ['bent.crl', 'not signed by a CSCA we trust'],
      ['cut.crl', 'malformed'],
      ['empty.pem', 'no CRL in DER or PEM'],
      ['huge.crl', 'larger than 2 MiB'],
      ['stranger.crl', 'not signed by a CSCA we trust'],
    ]);
  });

  it('is read again after an interval, once for all concurrent callers', async () => {
    const crls = await open();
    const current = issueCrl(csca, [], at);
    await keep('new.crl', current);
    await keep('none.crl', 'none');
    now = later(rereadMs - 1);
    expect(await crls.listsFor(signer)).toEqual([]);
    now = later(rereadMs);
    const found = await Promise.all(Array.from({ length: 20 }, () => crls.listsFor(signer)));
    for (const lists of found) expect(hex(lists)).toEqual(hex([{ der: current }]));
    expect(said).toHaveLength(1);
  });

  it('keeps the loaded lists while it cannot be read', async () => {
    await keep('a.crl', issueCrl(csca, [], at));
    const crls = await open();
    await rename(directory, `${directory}.gone`);
    now = later(rereadMs);
    try {
      expect(await crls.listsFor(signer)).toHaveLength(1);
      expect(said).toMatchObject([{ err: { code: 'ENOENT' } }]);
    } finally {
      await rename(`${directory}.gone`, directory);
    }
  });

  it('stops the start with the name of its setting when it is missing or required but unset', async () => {
    const parts = { clock, log: createLogger('test', 'silent'), lists: none };
    const trust = heldTrust({ published: trusted });
    const load = (settings: { CSCA_CRLS?: string; CSCA_CRLS_REQUIRED: 'yes' | 'no' }) =>
      loadCountryCrls({ ...settings, PASSPORT_LEGACY_ALGORITHMS: 'flag' }, trust, parts);
    await expect(load({ CSCA_CRLS: '/nowhere', CSCA_CRLS_REQUIRED: 'no' })).rejects.toThrow(
      /^CSCA_CRLS: /,
    );
    await expect(load({ CSCA_CRLS_REQUIRED: 'yes' })).rejects.toThrow(/^CSCA_CRLS_REQUIRED: /);
    expect(await load({ CSCA_CRLS_REQUIRED: 'no' })).toEqual({ crls: null, isCrlRequired: false });
  });
});
