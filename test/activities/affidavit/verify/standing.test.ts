import { generateKeyPairSync, randomBytes, X509Certificate } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { renderAffidavit } from '../../../../activities/affidavit/render.ts';
import { verifyAffidavit } from '../../../../activities/affidavit/verify.ts';
import { createDevPki } from '../../../../activities/keys/changes/dev-pki.ts';
import { loadKeys, type PlatformKeys } from '../../../../activities/keys/directory/load-keys.ts';
import type { RevocationReason } from '../../../../domain/names.ts';
import { archiveAffidavit, unique } from '../../../../domain/pdf/signature/archive.ts';
import { sealAffidavit } from '../../../../domain/pdf/signature/seal.ts';
import { createTimestampAuthority } from '../../../../domain/pki/timestamps/sign-token.ts';
import { issueCertificate } from '../../../../domain/pki/x509/issue-certificate.ts';
import { keySigner } from '../../../../domain/pki/x509/key-signer.ts';
import { newSerial } from '../../../../domain/pki/x509/serial.ts';
import { listOf, listsOfToday, rootListOf } from '../../../support/fixtures/affidavits/archives.ts';
import { lightContent } from '../../../support/fixtures/affidavits/contents.ts';

const directory = mkdtempSync(join(tmpdir(), 'trustcheck-standing-'));
const now = new Date();
const minutes = (count: number): Date => new Date(now.getTime() + count * 60_000);
let keys: PlatformKeys;
let others: PlatformKeys;
/** The file as stored, and the same file cut off after the seal. */
let archived: Buffer;
let stripped: Buffer;

beforeAll(async () => {
  for (const name of ['own', 'others']) {
    await createDevPki(join(directory, name), { now, baseUrl: 'http://127.0.0.1:8080' });
  }
  [keys, others] = [loadKeys(join(directory, 'own')), loadKeys(join(directory, 'others'))];
  const authority = createTimestampAuthority(keys.tsa, () => now, randomBytes);
  stripped = await sealAffidavit(await renderAffidavit(lightContent), keys.seal, authority);
  const certificates = unique([...keys.seal.certificateChain, ...keys.tsa.certificateChain]);
  const data = { certificates, crls: await listsOfToday(keys) };
  archived = await archiveAffidavit(stripped, data, authority);
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const seal = (): X509Certificate => keys.seal.certificate;
const tsa = (): X509Certificate => keys.tsa.certificate;

/** Returns current CRLs; one of them revokes a certificate at some minutes from the seal. */
async function listed(
  revoked: X509Certificate,
  reason: RevocationReason | null,
  at: number,
  since: number | null = null,
): Promise<Buffer[]> {
  const invalidity_date = since === null ? null : minutes(since);
  // A CRL states an unspecified reason only for certificates of services.
  const entry = {
    kind: reason === null ? null : ('services' as const),
    revoked_at: minutes(at),
    revocation_reason: reason ?? 'unspecified',
    invalidity_date,
  };
  return [await listOf(keys, { revoked, entry }), rootListOf(keys)];
}

const judge = async (pdf: Buffer, lists: readonly Buffer[]) => {
  const { result, reason_code } = await verifyAffidavit(pdf, [keys.root.certificate], minutes(10), {
    lists,
  });
  return [result, reason_code];
};

const valid = ['valid', null];
const revoked = ['invalid', 'revoked'];
const unknown = ['indeterminate', 'revocation_unknown'];

describe('an affidavit without archived CRLs', () => {
  it.each<[string, string[] | typeof valid, () => Promise<Buffer[]> | Buffer[]]>([
    ['no list', unknown, () => []],
    ['current lists', valid, () => listsOfToday(keys)],
    ['the list of one CA only', unknown, async () => [await listOf(keys)]],
    ['lists of another platform', unknown, () => listsOfToday(others)],
    [
      'an expired list',
      unknown,
      async () => [await listOf(keys, { until: minutes(5) }), rootListOf(keys)],
    ],
    [
      'a list older than the certificates',
      unknown,
      async () => [await listOf(keys, { from: minutes(-24 * 60) }), rootListOf(keys)],
    ],
    [
      'a list of the future',
      unknown,
      async () => [await listOf(keys, { from: minutes(20) }), rootListOf(keys)],
    ],
    ['a seal that was stolen before', revoked, () => listed(seal(), 'compromised', -1)],
    ['a seal stolen since before', revoked, () => listed(seal(), 'compromised', 5, -1)],
    ['a seal that was stolen after', valid, () => listed(seal(), 'compromised', 5, 1)],
    ['a seal that was replaced after', valid, () => listed(seal(), 'superseded', 5)],
    ['a seal that was revoked after, for no reason', valid, () => listed(seal(), null, 5)],
    ['time stamps that were replaced after', valid, () => listed(tsa(), 'superseded', 5)],
    ['time stamps revoked for an unspecified reason', valid, () => listed(tsa(), 'unspecified', 5)],
    // RFC 3161 §4 (1) treats a missing reason as the worst; it does not mention the CA above.
    ['time stamps that were revoked after, for no reason', revoked, () => listed(tsa(), null, 5)],
    // With that key, a thief can write any time into a stamp.
    ['time stamps that were stolen after', revoked, () => listed(tsa(), 'compromised', 5, 4)],
  ])('is judged with %s as %s', async (_lists, expected, lists) => {
    expect(await judge(stripped, await lists())).toEqual(expected);
  });
});

describe('an archived affidavit', () => {
  it.each<[string, typeof valid, () => Promise<Buffer[]> | Buffer[]]>([
    ['no list', valid, () => []],
    ['current lists', valid, () => listsOfToday(keys)],
    ['the list of one CA only', unknown, async () => [await listOf(keys)]],
    // The CRLs inside were signed before the theft was known.
    ['a seal stolen since before', revoked, () => listed(seal(), 'compromised', 5, -1)],
    ['a seal that was stolen after', valid, () => listed(seal(), 'compromised', 5, 1)],
    ['time stamps that were stolen after', revoked, () => listed(tsa(), 'compromised', 5, 4)],
    ['time stamps that were revoked after, for no reason', revoked, () => listed(tsa(), null, 5)],
  ])('is judged with %s as %s', async (_lists, expected, lists) => {
    expect(await judge(archived, await lists())).toEqual(expected);
  });

  it('is malformed only by a submitted list that is no CRL', async () => {
    expect(await judge(archived, [Buffer.from('3003020101', 'hex')])).toEqual([
      'invalid',
      'malformed',
    ]);
  });
});

describe('an affidavit with a first time stamp that expires or is revoked', () => {
  const hourMs = 3600_000;
  const baseUrl = 'http://127.0.0.1:8080';

  /** Creates an authority of the platform with a certificate that expires within the hour. */
  async function endingSoon(): Promise<PlatformKeys['tsa']> {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const der = await issueCertificate({
      role: 'tsa',
      commonName: 'ends soon',
      spki: new Uint8Array(publicKey.export({ type: 'spki', format: 'der' })),
      issuer: keys.servicesCa,
      serial: newSerial(randomBytes),
      notBefore: tsa().validFromDate,
      notAfter: new Date(Math.floor((now.getTime() + hourMs) / 1000) * 1000),
      issuerUrl: `${baseUrl}/pki/${keys.servicesCa.kid}`,
    });
    const chain = [der, keys.servicesCa.certificate.raw];
    const certificate = new X509Certificate(der);
    return { ...keys.tsa, ...keySigner(privateKey, chain), algorithm: 'ES256', certificate };
  }

  const by = (one: PlatformKeys['tsa'], at: Date) =>
    createTimestampAuthority(one, () => at, randomBytes);

  // A thief of that key can backdate a stamp on a new seal, and have another authority archive it.
  it.each<[number, RevocationReason | null, string, typeof valid]>([
    [4, 'compromised', 'before it was stolen', valid],
    [6, 'compromised', 'after it was stolen', revoked],
    [4, null, 'before it was revoked for no reason', valid],
    [6, null, 'after it was revoked for no reason', revoked],
    [6, 'superseded', 'after it was replaced', valid],
  ])(
    'is judged with a second stamp at %s and %s: given %s, as %s',
    async (stampedAt, reason, _when, expected) => {
      const first = await endingSoon();
      const sealed = await sealAffidavit(
        await renderAffidavit(lightContent),
        keys.seal,
        by(first, now),
      );
      const chains = [keys.seal, first, keys.tsa].flatMap((one) => one.certificateChain);
      const data = { certificates: unique(chains), crls: await listsOfToday(keys) };
      const pdf = await archiveAffidavit(sealed, data, by(keys.tsa, minutes(stampedAt)));
      expect(await judge(pdf, await listed(first.certificate, reason, 5))).toEqual(expected);
    },
  );

  it('is proven only by a second stamp from before that expiry', async () => {
    const ending = await endingSoon();
    const rendered = await renderAffidavit(lightContent);
    const sealed = await sealAffidavit(rendered, keys.seal, by(ending, now));
    const chains = [keys.seal, ending, keys.tsa].flatMap((one) => one.certificateChain);
    const data = { certificates: unique(chains), crls: await listsOfToday(keys) };
    const judged = async (stampedAt: Date) => {
      const pdf = await archiveAffidavit(sealed, data, by(keys.tsa, stampedAt));
      const at = new Date(now.getTime() + 3 * hourMs);
      const verdict = await verifyAffidavit(pdf, [keys.root.certificate], at);
      return [verdict.result, verdict.reason_code];
    };
    const endsMs = ending.certificate.validToDate.getTime();
    expect(await judged(new Date(endsMs - 1000))).toEqual(valid);
    // A key exposed by then could have written any time into the first stamp.
    const late = ['indeterminate', 'timestamp_expired'];
    expect(await judged(new Date(endsMs))).toEqual(late);
    expect(await judged(new Date(endsMs + hourMs))).toEqual(late);
  });
});
