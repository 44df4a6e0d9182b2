import { X509Certificate } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { openCountryCrls } from '../../../../../activities/proofs/passport/country-crls.ts';
import { readCountryCertificate } from '../../../../../domain/proofs/passport/signer/certificate.ts';
import { createCscaStore } from '../../../../../domain/proofs/passport/signer/master-list.ts';
import { verifyEmrtd } from '../../../../../domain/proofs/passport/verify-emrtd.ts';
import { element, extension, integer, isTrue, sequence } from '../../../../../simulator/der.ts';
import { issueCrl, type CrlOptions } from '../../../../../simulator/roots/crl.ts';
import { createDevCsca, linkCsca } from '../../../../../simulator/roots/passport.ts';
import { at, csca, mint, outcome } from '../../../../support/fixtures/passports/fixtures.ts';

const day = 24 * 3_600_000;
const later = (ms: number): Date => new Date(at.getTime() + ms);
const serialOf = (der: Uint8Array): Buffer =>
  Buffer.from(new X509Certificate(der).serialNumber, 'hex');

const { passport, policy, input } = mint();
const judge = (...crl: Uint8Array[]) => verifyEmrtd({ ...policy, crl }, input, at);
const strict = (...crl: Uint8Array[]) =>
  verifyEmrtd({ ...policy, crl, require: ['crl'] }, input, at);

const delta = (critical: boolean) => extension('2.5.29.27', integer(1), critical);
const point = (...contents: Uint8Array[]) => extension('2.5.29.28', sequence(...contents), true);
const strange = extension('1.3.6.1.4.1.99999.1', isTrue, true);
const strangeEntry = { entryExtensions: [strange] };
const lists: [string, CrlOptions, string, Date?][] = [
  ['a delta list', { extensions: [delta(true)] }, 'partial'],
  ['a delta list without the critical flag', { extensions: [delta(false)] }, 'partial'],
  ['a list with a distribution point', { extensions: [point()] }, 'partial'],
  ['a list for CAs only', { extensions: [point(element(0x82, Buffer.of(0xff)))] }, 'partial'],
  ['a list with an unknown critical extension', { extensions: [strange] }, 'critical extension'],
  ['a list with an unknown critical entry extension', strangeEntry, 'critical extension'],
  ['a list from the future', {}, 'of the future', later(1_000)],
  ['a list without a next update', { nextUpdate: null }, 'without next update'],
];

describe.each(lists)('%s', (_, options, why, from = at) => {
  const list = (...serials: Uint8Array[]) => issueCrl(csca, serials, from, options);
  const other = Buffer.from('4f00000000000000000000000000dead', 'hex');

  it('does not clear a signer, and names the reason', () => {
    const skipped = { name: 'revocation', result: 'skipped' };
    const detail = `revocation_unknown: CRL ${why}`;
    for (const [verdict, found] of [
      ['passed', judge(list(other))],
      ['inconclusive', strict(list(other))],
    ] as const) {
      expect(found.verdict).toBe(verdict);
      expect(found.checks).toContainEqual({ ...skipped, detail });
    }
    expect(strict(list(other)).reason_code).toBe('revocation_unknown');
    expect(strict(list(other), issueCrl(csca, [], at)).verdict).toBe('passed');
  });

  it('still revokes a listed signer', () => {
    const revoked = list(other, passport.signer.serial);
    expect(outcome(judge(revoked))).toBe('dsc_revoked at revocation');
    expect(outcome(judge(issueCrl(csca, [], at), revoked))).toBe('dsc_revoked at revocation');
  });
});

it('a list with harmless extensions clears a signer', () => {
  const extensions = [extension('2.5.29.18', sequence()), extension('1.3.6.1.4.1.99999.1', isTrue)];
  expect(strict(issueCrl(csca, [], at, { extensions })).verdict).toBe('passed');
});

it.each<[string, CrlOptions]>([
  ['in an indirect list', { extensions: [point(element(0x84, Buffer.of(0xff)))] }],
  [
    'in a delta list that removes it',
    {
      extensions: [delta(true)],
      entryExtensions: [extension('2.5.29.21', element(0x0a, Buffer.of(8)))],
    },
  ],
])('a listed serial number does not revoke a signer %s', (_, options) => {
  const { checks } = judge(issueCrl(csca, [passport.signer.serial], at, options));
  expect(checks.find(({ name }) => name === 'revocation')).toEqual({
    name: 'revocation',
    result: 'skipped',
    detail: 'revocation_unknown: CRL partial',
  });
});

it('a list in the name of a State is ignored when another State signed it', () => {
  const named = createDevCsca(at, { commonName: 'CSCA Utopia (development)', country: 'XA' });
  const forged = issueCrl({ ...csca, key: named.key }, [passport.signer.serial], at);
  const both = { csca: [csca.certificate, named.certificate], crl: [forged] };
  expect(verifyEmrtd(both, input, at)).toMatchObject({ reason_code: 'revocation_unknown' });
});

describe('the CSCA of a document signer', () => {
  const second = createDevCsca(at, { commonName: 'CSCA Utopia second' });
  const link = linkCsca(csca, second, at);
  const under = mint({}, second);
  const listed = issueCrl(csca, [serialOf(link)], at);

  it('fails the document when its own list contains it', () => {
    const own = issueCrl(csca, [serialOf(csca.certificate)], at);
    expect(outcome(judge(own))).toBe('csca_revoked at revocation');
    expect(outcome(judge(issueCrl(csca, [], at), own))).toBe('csca_revoked at revocation');
    expect(judge(own).facts['levels']).toMatchObject({ passive: 'failed' });
  });

  it('fails the document when its link is revoked, unless it is trusted directly', () => {
    const linked = { csca: [csca.certificate], cscaLinks: [link] };
    const crl = [listed, issueCrl(second, [], at)];
    const judged = (trust: object, given = crl) =>
      outcome(verifyEmrtd({ ...trust, crl: given, require: ['crl'] }, under.input, at));
    expect(judged(linked)).toBe('csca_revoked at revocation');
    expect(judged(linked, [issueCrl(csca, [], at), issueCrl(second, [], at)])).toBe('passed');
    expect(judged(linked, [issueCrl(csca, [], at)])).toBe('revocation_unknown at none');
    expect(judged({ csca: [csca.certificate, second.certificate], cscaLinks: [link] })).toBe(
      'passed',
    );
  });
});

it('the full list is kept beside newer ones that cannot clear a signer', async () => {
  const full = issueCrl(csca, [], at);
  const newer = [
    issueCrl(csca, [], later(-day), { extensions: [delta(true)] }),
    issueCrl(csca, [], later(day)),
  ];
  const of = async () => Buffer.concat([full, ...newer]);
  const urls = ['https://lists.test/crl'];
  const store = createCscaStore([csca.certificate]);
  const crls = await openCountryCrls({
    fetched: { urls, lists: { of, keep: async () => undefined } },
    cscaStore: async () => store,
    legacy: 'refuse',
    clock: () => at,
    log: { warn: () => undefined },
  });
  const held = await crls.listsFor(readCountryCertificate(passport.signer.certificate));
  expect(held.map(({ der }) => Buffer.from(der))).toEqual(
    [full, ...newer].map((der) => Buffer.from(der)),
  );
});
