import { spawnSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { renderAffidavit } from '../../../activities/affidavit/render.ts';
import { verifyAffidavit } from '../../../activities/affidavit/verify.ts';
import { createDevPki } from '../../../activities/keys/changes/dev-pki.ts';
import { loadKeys, type PlatformKeys } from '../../../activities/keys/directory/load-keys.ts';
import {
  requestTimestamp,
  replyBytesMax,
  type Authority,
} from '../../../activities/keys/timestamps/request-timestamp.ts';
import { loadAuthorities } from '../../../activities/keys/timestamps/config.ts';
import type { StampSource } from '../../../activities/keys/timestamps/stamps.ts';
import { archiveAffidavit, unique } from '../../../domain/pdf/signature/archive.ts';
import { sealAffidavit } from '../../../domain/pdf/signature/seal.ts';
import * as der from '../../../domain/pki/write-der.ts';
import { commandHere } from '../../support/commands/command-here.ts';
import { listOf, listsOfToday, rootListOf } from '../../support/fixtures/affidavits/archives.ts';
import { lightContent } from '../../support/fixtures/affidavits/contents.ts';
import { ownStamps } from '../../support/keys/own-stamps.ts';
import { opensslAuthority } from '../../support/stand-ins/keys/openssl-authority.ts';
import {
  failureBits,
  startTimestampAuthority,
  type Mood,
  type TimestampAuthorityStandIn,
} from '../../support/stand-ins/keys/timestamp-authority.ts';
import { patienceMsWith } from '../../support/stand-ins/provider.ts';

const directory = mkdtempSync(join(tmpdir(), 'trustcheck-stamps-'));
const imprint = createHash('sha256').update('a seal').digest();
const by = { clock: () => new Date(), randomBytes };
const minuteMs = 60_000;
let standIn: TimestampAuthorityStandIn;
let authority: Authority;
let keys: PlatformKeys;
let rendered: Uint8Array;

beforeAll(async () => {
  standIn = await startTimestampAuthority();
  const roots = [standIn.root.certificate];
  authority = { url: standIn.url, roots, timeoutMs: 60_000, policy: null, credentials: null };
  await createDevPki(join(directory, 'keys'), {
    now: new Date(),
    baseUrl: 'http://127.0.0.1:8080',
  });
  keys = loadKeys(join(directory, 'keys'));
  rendered = await renderAffidavit(lightContent);
});
afterEach(() => {
  standIn.behave({});
  standIn.recover();
});
afterAll(async () => {
  await standIn.stop();
  rmSync(directory, { recursive: true, force: true });
});

describe('a time stamp authority', () => {
  it('returns a token for a fresh nonce', async () => {
    const { token, at, root } = await requestTimestamp({ ...authority, policy }, imprint, by);
    expect(root.raw.equals(standIn.root.der)).toBe(true);
    expect(Math.abs(at.getTime() - Date.now())).toBeLessThan(minuteMs);
    expect(token.includes(imprint)).toBe(true);
    standIn.behave({ status: 1 });
    await requestTimestamp({ ...authority, credentials: 'someone:a secret' }, imprint, by);
    const [first, second] = standIn.requests.slice(-2);
    expect(first?.body.equals(second?.body ?? Buffer.of())).toBe(false);
    expect(second?.headers.authorization).toBe('Basic c29tZW9uZTphIHNlY3JldA==');
  });

  const other = createHash('sha256').update('another').digest();
  const past = () => new Date(Date.now() - 6 * minuteMs);
  const criticalExtension = der.sequence(der.oid('1.2.3'), der.tlv(1, Buffer.of(0xff)));
  const refused: readonly (readonly [string, string, () => Mood])[] = [
    ...failureBits.map(
      (failure) =>
        [`a rejection of bit ${failure}`, 'refused', () => ({ status: 2, failure })] as const,
    ),
    ...[3, 4, 5].map((status) => [`status ${status}`, 'refused', () => ({ status })] as const),
    ['another imprint', 'token', () => ({ imprint: other })],
    ['another nonce', 'nonce', () => ({ nonce: der.integer(Buffer.alloc(16, 1)) })],
    ['no nonce', 'nonce', () => ({ nonce: null })],
    ['a time long past', 'time', () => ({ at: past() })],
    ['a time to come', 'time', () => ({ at: new Date(Date.now() + minuteMs) })],
    ['a certificate that has ended', 'chain', () => ({ signer: 'expired' })],
    ['a certificate for more', 'token', () => ({ signer: 'two purposes' })],
    ['a purpose that is not critical', 'token', () => ({ signer: 'not critical' })],
    ['a critical extension', 'extension', () => ({ more: [der.context(1, criticalExtension)] })],
    ['more than a TSTInfo', 'malformed', () => ({ more: [der.integer(1)] })],
    ['garbage', 'malformed', () => ({ bytes: Buffer.from('<html>') })],
    ['nothing', 'malformed', () => ({ bytes: Buffer.alloc(0) })],
    ['a status alone that grants', 'malformed', () => ({ bytes: granted })],
  ];
  it.each(refused)('is not trusted with %s', async (_what, fault, mood) => {
    standIn.behave(mood());
    await expect(requestTimestamp(authority, imprint, by)).rejects.toMatchObject({ fault });
  });

  it('is not trusted under another policy or other roots', async () => {
    const strict = { ...authority, policy: '1.2.3' };
    await expect(requestTimestamp(strict, imprint, by)).rejects.toMatchObject({ fault: 'policy' });
    const foreign = { ...authority, roots: [keys.root.certificate] };
    await expect(requestTimestamp(foreign, imprint, by)).rejects.toMatchObject({ fault: 'chain' });
  });

  it.each([
    ['another type', { contentType: 'application/pdf' }],
    ['more than a reply can be', { bytes: Buffer.alloc(replyBytesMax + 1) }],
  ] as const)('is rejected when it sends %s', async (_what, mood) => {
    standIn.behave(mood);
    await expect(requestTimestamp(authority, imprint, by)).rejects.toThrow(
      /no time-stamp|too long/,
    );
  });

  const moved = { status: 307, headers: { Location: 'http://127.0.0.1:9/' } };
  it.each([moved, { status: 500 }, 'hang', 'reset', 'trickle'] as const)(
    'is skipped when it answers with %o',
    async (fault) => {
      standIn.failNext(fault);
      const patient = { ...authority, timeoutMs: patienceMsWith(fault) };
      await expect(requestTimestamp(patient, imprint, by)).rejects.toThrow();
    },
  );
});

const pem = (): string => standIn.root.certificate.toString();
const policy = '1.3.6.1.4.1.58969.1.1';
const granted = der.sequence(der.sequence(der.integer(0)));

function stampsOf(authorities: readonly Authority[], own: PlatformKeys['tsa'] | null = keys.tsa) {
  const counted: StampSource[] = [];
  const told: unknown[] = [];
  const log = { warn: (one: unknown) => told.push(one), error: (one: unknown) => told.push(one) };
  const count = (source: StampSource) => counted.push(source);
  return { counted, told, stamps: ownStamps(keys, { authorities, own, log, count }) };
}

const judge = async (
  pdf: Uint8Array,
  tsaRoots = authority.roots,
  lists: readonly Uint8Array[] = [],
) =>
  verifyAffidavit(pdf, [keys.root.certificate], new Date(Date.now() + minuteMs), {
    lists: [...(await listsOfToday(keys)), ...lists],
    tsaRoots,
  });

describe('a seal', () => {
  it('is stamped by the first authority that answers, and archived with its validation data', async () => {
    const {
      stamps,
      counted,
      told: warned,
    } = stampsOf([{ ...authority, policy: '1.2.3' }, authority]);
    let token: Buffer | null = null;
    const stamp = async (digest: Uint8Array) => (token = await stamps.stamp(digest));
    const sealed = await sealAffidavit(rendered, keys.seal, { stamp });
    expect(counted).toEqual(['outside']);
    expect(warned).toEqual([{ authority: new URL(standIn.url).host, fault: 'policy' }]);
    const besides = await stamps.validationOf(token ?? Buffer.of());
    if (!besides || !stamps.own) throw new Error('nothing judges the stamp');
    const level = { facts: { pades_level: 'PAdES-B-T' } };
    const stamped = await judge(sealed, authority.roots, besides.crls);
    expect(stamped).toMatchObject({ result: 'valid', ...level });
    // A thief of that authority’s key can backdate a stolen seal, so its CRLs are needed too.
    expect(await judge(sealed)).toMatchObject({ reason_code: 'revocation_unknown' });
    standIn.behave({ crl: 'revoked' });
    const listAt = async (path: string) => (await fetch(new URL(path, standIn.url))).bytes();
    const revoking = [await listAt('/ca.crl'), await listAt('/root.crl')];
    const stolen = await judge(sealed, authority.roots, revoking);
    expect(stolen).toMatchObject({ result: 'invalid', reason_code: 'revoked' });
    const unknown = { result: 'indeterminate', reason_code: 'root_not_trusted' };
    expect(await judge(sealed, [])).toMatchObject(unknown);

    const { seal, tsa } = keys;
    const all = [...seal.certificateChain, ...besides.certificates, ...tsa.certificateChain];
    const ours = [await listOf(keys), rootListOf(keys)];
    const data = { certificates: unique(all), crls: [...ours, ...besides.crls] };
    const archived = await archiveAffidavit(sealed, data, stamps.own);
    const verdict = await judge(archived);
    expect(verdict).toMatchObject({ result: 'valid', facts: { pades_level: 'PAdES-B-LTA' } });
    expect(verdict.checks.every(({ result }) => result === 'ok')).toBe(true);
    expect(await judge(archived, [])).toMatchObject(unknown);
    const files = { 'own.pdf': archived, 'own.pem': keys.trustBundlePem, 'tsa.pem': pem() };
    for (const [name, text] of Object.entries(files)) writeFileSync(join(directory, name), text);
    const [pdf, root, tsaRoot] = Object.keys(files).map((name) => join(directory, name));
    const words = ['verify', String(pdf), '--root', String(root)];
    const told = await commandHere(directory, [...words, '--tsa-root', String(tsaRoot)]);
    expect(told).toMatchObject({ code: 0, stdout: expect.stringContaining('✓ chains') });
    // A time stamp root is no trust anchor for seal and file, and a stamp needs its CRLs.
    const turned = await verifyAffidavit(archived, authority.roots, new Date(), {
      tsaRoots: authority.roots,
    });
    expect(turned).toMatchObject({ result: 'indeterminate', reason_code: 'root_not_trusted' });
    const short = await archiveAffidavit(sealed, { ...data, crls: ours }, stamps.own);
    expect(await judge(short)).toMatchObject({ reason_code: 'validation_data' });
  });

  it.each(['none', 'outdated'] as const)(
    'has no validation data for its archive while the lists are %s',
    async (crl) => {
      standIn.behave({ crl });
      const { stamps } = stampsOf([authority]);
      const token = await stamps.stamp(imprint);
      expect(await stamps.validationOf(token ?? Buffer.of())).toBeNull();
      // A failed result is not cached, because another CRL may appear a moment later.
      standIn.behave({});
      const lists = { crls: { length: 2 } };
      expect(await stamps.validationOf(token ?? Buffer.of())).toMatchObject(lists);
      const { length } = standIn.requests;
      expect(await stamps.validationOf(token ?? Buffer.of())).toMatchObject(lists);
      expect(standIn.requests).toHaveLength(length);
    },
  );

  it('fetches no CRL from a private address unless the operator allows it', async () => {
    const told: unknown[] = [];
    const log = { warn: (one: unknown) => told.push(one), error: () => undefined };
    const authorities = [authority];
    const stamps = ownStamps(keys, { authorities, allowPrivateLists: false, log });
    const before = standIn.requests.length;
    const token = (await stamps.stamp(imprint)) ?? Buffer.of();
    expect(await stamps.validationOf(token)).toBeNull();
    const asked = standIn.requests.slice(before).map(({ method }) => method);
    expect(asked).toEqual(['POST']);
    const { host } = new URL(standIn.url);
    expect(told.length).toBeGreaterThan(0);
    for (const one of told) expect(one).toEqual({ list: host });
    const allowed = ownStamps(keys, { authorities });
    expect(await allowed.validationOf(token)).toMatchObject({ crls: { length: 2 } });
  });

  // A CRL of the future does not prove validity, but it can revoke.
  const revoking = ['revoked', 'revoked, of the future'] as const;
  it.each(revoking)(
    'is not stamped by an authority that was %s, but by the own authority',
    async (crl) => {
      standIn.behave({ crl });
      const { stamps, counted, told } = stampsOf([authority]);
      const token = await stamps.stamp(imprint);
      expect(counted).toEqual(['own']);
      expect(told).toEqual([expect.objectContaining({ fault: 'revoked' })]);
      const none = { certificates: [], crls: [] };
      expect(await stamps.validationOf(token ?? Buffer.of())).toEqual(none);
    },
  );

  it('has no time stamp when no authority answers and the own one is off or expired', async () => {
    standIn.failNext({ status: 503 }, 2);
    const off = stampsOf([authority], null);
    expect(await off.stamps.stamp(imprint)).toBeNull();
    const late = new Date(keys.tsa.certificate.validToDate.getTime());
    const ended = ownStamps(keys, { authorities: [authority], clock: () => late });
    expect([await ended.stamp(imprint), ended.own]).toEqual([null, null]);
    expect(off.counted).toEqual(['none']);
  });

  it('is stamped by tokens of OpenSSL with RSA', async ({ skip }) => {
    if (spawnSync('openssl', ['version']).error) skip('openssl is not installed');
    const { reply, root } = opensslAuthority(directory);
    writeFileSync(join(directory, 'root.pem'), root);
    writeFileSync(
      join(directory, 'one.json'),
      JSON.stringify([{ url: standIn.url, roots: 'root.pem' }]),
    );
    const [other] = loadAuthorities({
      TIMESTAMP_AUTHORITIES: join(directory, 'one.json'),
    });
    if (!other) throw new Error('no authority was read');
    // The stand-in replies with this nonce, so the request must use it.
    const known = { clock: by.clock, randomBytes: (size: number) => Buffer.alloc(size, 0x51) };
    const asked = async (digest: Uint8Array) => {
      const at = Buffer.from(digest);
      standIn.behave({ bytes: reply(at, Buffer.alloc(16, 0x51)) });
      return (await requestTimestamp(other, at, known)).token;
    };
    const sealed = await sealAffidavit(rendered, keys.seal, { stamp: asked });
    // Only its CRLs are missing, because it publishes none.
    const { reason_code, facts, checks } = await judge(sealed, other.roots);
    expect([reason_code, facts.pades_level]).toEqual(['revocation_unknown', 'PAdES-B-T']);
    const open = checks.filter(({ result }) => result !== 'ok' && result !== 'skipped');
    expect(open.map(({ name }) => name)).toEqual(['standing']);
  });
});
