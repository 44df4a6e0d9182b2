import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { answerQuery } from '../../../activities/keys/timestamps/answer.ts';
import { randomIds } from '../../../db/ids.ts';
import { keepTimestamp } from '../../../db/queries/timestamps.ts';
import { readCms } from '../../../domain/pki/cms/read-cms.ts';
import * as der from '../../../domain/pki/write-der.ts';
import { call } from '../../support/http/client.ts';
import { platformKeys } from '../../support/keys/bundles.ts';
import { imprintOf, queryType, timestampQuery } from '../../support/keys/timestamps.ts';
import { openTestDb } from '../../support/platform/harness.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';

const { baseUrl, databaseUrl } = ownPlatform();
const keys = platformKeys();
const db = openTestDb(databaseUrl);
const directory = mkdtempSync(join(tmpdir(), 'trustcheck-tsa-'));
const file = (name: string): string => join(directory, name);
afterAll(async () => {
  await db.end();
  rmSync(directory, { recursive: true, force: true });
});
beforeAll(() => {
  writeFileSync(file('root.pem'), keys.trustBundlePem);
  const chain = [keys.tsa.certificate, keys.servicesCa.certificate];
  writeFileSync(file('chain.pem'), chain.map(String).join(''));
  writeFileSync(file('data'), 'something to stamp');
});

/** Returns the output and errors of openssl. */
const openssl = (...args: string[]): string =>
  execFileSync('sh', ['-c', 'openssl "$@" 2>&1 || true', 'sh', ...args]).toString();
const hasOpenssl = openssl('version').startsWith('OpenSSL');

async function ask(query: Uint8Array): Promise<Buffer> {
  const headers = { ...queryType, 'x-forwarded-for': '10.161.161.161' };
  const body = Buffer.from(query);
  const answer = await fetch(`${baseUrl}/tsa`, { method: 'POST', body, headers });
  expect([answer.status, answer.headers.get('content-type')]).toEqual([
    200,
    'application/timestamp-reply',
  ]);
  expect(answer.headers.get('cache-control')).toBe('no-store');
  return Buffer.from(await answer.arrayBuffer());
}

const refusal = (bit: number): Buffer => {
  const bits = Buffer.alloc(2 + Math.floor(bit / 8));
  bits[0] = 7 - (bit % 8);
  bits[bits.length - 1] = 0x80 >> (bit % 8);
  return der.sequence(der.sequence(der.integer(2), der.tlv(0x03, bits)));
};
const truth = Buffer.from('0101ff', 'hex');

describe.skipIf(!hasOpenssl)('a timestamp requested by openssl', () => {
  it.each(['sha256', 'sha384', 'sha512'])('over %s verifies with only the root', async (hash) => {
    const query = ['ts', '-query', '-data', file('data'), `-${hash}`, '-cert'];
    openssl(...query, '-tspolicy', '1.3.6.1.4.1.58969.1.1', '-out', file('query.tsq'));
    writeFileSync(file('reply.tsr'), await ask(readFileSync(file('query.tsq'))));
    const verify = ['ts', '-verify', '-in', file('reply.tsr'), '-CAfile', file('root.pem')];
    // Compared with the query: nonce, policy and hash are those that were sent.
    expect(openssl(...verify, '-queryfile', file('query.tsq'))).toContain('Verification: OK');
    expect(openssl(...verify, '-data', file('data'))).toContain('Verification: OK');
    expect(openssl(...verify, '-data', file('root.pem'))).toContain('message imprint mismatch');
    const text = openssl('ts', '-reply', '-in', file('reply.tsr'), '-text');
    expect(text).toMatch(/Status: Granted\./);
    expect(text).toMatch(/Accuracy: 0x01 seconds, unspecified millis/);
    expect(text).toMatch(/Ordering: no\nNonce: 0x/);
    const serial = /Serial number: 0x([0-9A-F]+)/.exec(text)?.[1]?.toLowerCase() ?? '';
    const { rows } = await db.query(
      'SELECT tsa_serial, imprint FROM timestamps WHERE serial = $1',
      [serial],
    );
    const imprint = createHash(hash).update('something to stamp').digest();
    const tsa_serial = keys.tsa.certificate.serialNumber.toLowerCase();
    expect(rows).toEqual([{ tsa_serial, imprint }]);
  });

  it('omits certificates and nonce unless they are requested', async () => {
    openssl('ts', '-query', '-data', file('data'), '-no_nonce', '-out', file('bare.tsq'));
    writeFileSync(file('bare.tsr'), await ask(readFileSync(file('bare.tsq'))));
    const verify = ['ts', '-verify', '-in', file('bare.tsr'), '-queryfile', file('bare.tsq')];
    const trusted = [...verify, '-CAfile', file('root.pem')];
    expect(openssl(...trusted)).not.toContain('Verification: OK');
    expect(openssl(...trusted, '-untrusted', file('chain.pem'))).toContain('Verification: OK');
    const text = openssl('ts', '-reply', '-in', file('bare.tsr'), '-text');
    expect(text).toContain('Nonce: unspecified');
  });
});

describe('a timestamp', () => {
  it('is unique per request and covers the imprint that was sent', async () => {
    const query = timestampQuery(truth);
    const answers = await Promise.all([1, 2, 3].map(() => ask(query)));
    const infos = answers.map((answer) => {
      const start = answer.indexOf(Buffer.from('3003020100', 'hex')) + 5;
      const { content, isSigned, isInForm } = readCms(answer.subarray(start));
      expect([isSigned, isInForm]).toEqual([true, true]);
      expect(content?.includes(imprintOf('something'))).toBe(true);
      return content?.toString('hex');
    });
    expect(new Set(infos).size).toBe(3);
  });

  it.each<[string, Uint8Array, number]>([
    ['nothing', Buffer.alloc(0), 5],
    ['words', Buffer.from('stamp this'), 5],
    ['half a query', timestampQuery().subarray(0, -1), 5],
    ['a query and more', Buffer.concat([timestampQuery(), Buffer.of(0)]), 5],
    ['an unknown member', timestampQuery(der.octets(Buffer.of(1))), 5],
    ['an empty nonce', timestampQuery(der.tlv(2)), 5],
    ['a nonce too long', timestampQuery(der.tlv(2, Buffer.alloc(65, 1))), 5],
    ['a truth of neither kind', timestampQuery(Buffer.from('010101', 'hex')), 5],
    ['SHA-1', der.sequence(der.integer(1), imprintOf('something', '1.3.14.3.2.26')), 0],
    ['a hash nobody knows', der.sequence(der.integer(1), imprintOf('something', '1.2.3')), 0],
    [
      'a hash of another length',
      der.sequence(der.integer(1), imprintOf('something', '2.16.840.1.101.3.4.2.3')),
      5,
    ],
    ['another version', der.sequence(der.integer(2), imprintOf('something')), 2],
    ['another policy', timestampQuery(der.oid('1.2.3.4')), 15],
    ['an extension', timestampQuery(der.context(0, der.extension('1.2.3', Buffer.of(5, 0)))), 16],
  ])('is refused for %s', async (_what, query, bit) => {
    expect(await ask(query)).toEqual(refusal(bit));
  });

  it.each(["UPDATE timestamps SET imprint = ''", 'DELETE FROM timestamps', 'TRUNCATE timestamps'])(
    'stays on record: %s is rejected',
    async (statement) => {
      await expect(db.query(statement)).rejects.toThrow('rows of time stamps are added only');
    },
  );

  it('is an HTTP error for another media type or an overlong query', async () => {
    const raw = timestampQuery();
    const json = await call('POST', '/tsa', { raw });
    expect([json.status, json.body['code']]).toEqual([415, 'media_type_unsupported']);
    const long = await call('POST', '/tsa', { raw: Buffer.alloc(2_049), headers: queryType });
    expect([long.status, long.body['code']]).toEqual([413, 'too_large']);
  });

  it('is not signed outside the life of its authority or after its revocation', async () => {
    const deps = { db, tsa: keys.tsa, randomBytes: randomIds.bytes };
    for (const clock of [keys.tsa.certificate.validToDate, new Date('2020-01-01')]) {
      expect(await answerQuery({ ...deps, clock: () => clock }, timestampQuery())).toEqual(
        refusal(25),
      );
    }
    const entry = { imprint: Buffer.alloc(32), at: new Date() };
    const drawn = randomIds.bytes(16).fill(0x41, 0, 1);
    const [serial, tsaSerial] = [drawn.toString('hex'), randomIds.bytes(16).toString('hex')];
    await db.query(
      `INSERT INTO certificates (serial, kind, issuer_kid, kid, public_jwk, not_before, not_after,
         revoked_at, revocation_reason)
       VALUES ($1, 'services', 'none', 'none', '{}', now(), now(), now(), 'compromised')`,
      [tsaSerial],
    );
    expect(await keepTimestamp(db, tsaSerial, { ...entry, serial })).toBe(false);
    expect(await keepTimestamp(db, 'another', { ...entry, serial })).toBe(true);
    // A serial is never stored twice: a duplicate fails before anything is signed.
    await expect(keepTimestamp(db, 'another', { ...entry, serial })).rejects.toThrow('duplicate');
    const again = { ...deps, randomBytes: () => drawn, clock: () => entry.at };
    await expect(answerQuery(again, timestampQuery())).rejects.toThrow('duplicate');
  });
});
