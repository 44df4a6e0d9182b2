import { createHash } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  createRevocationList,
  type RevocationListOptions,
} from '../../../../activities/proofs/device/google/revocation-list.ts';
import { readCertificate } from '../../../../domain/pki/x509/certificate.ts';
import {
  entriesOf,
  MalformedStatusList,
  readStatusList,
  statusOf,
} from '../../../../domain/proofs/device/android/status-list.ts';
import { Failure } from '../../../../workflows/failures.ts';
import {
  at,
  bytes,
  judge,
  mint,
  outcome,
  vectorOf,
} from '../../../support/fixtures/devices/android-fixtures.ts';
import { eventually } from '../../../support/platform/harness.ts';
import {
  startAndroidStatus,
  type AndroidStatusStandIn,
} from '../../../support/stand-ins/phones/android-status.ts';
import { patienceMsWith } from '../../../support/stand-ins/provider.ts';

const hourMs = 3600_000;
const revoked = { status: 'REVOKED', reason: 'KEY_COMPROMISE' };
let status: AndroidStatusStandIn;
let now = at;

beforeEach(async () => {
  now = at;
  status = await startAndroidStatus();
});
afterEach(async () => status.stop());

const later = (ms: number): void => void (now = new Date(now.getTime() + ms));
const listOf = (options: Partial<RevocationListOptions> = {}) =>
  createRevocationList({
    fetch,
    url: status.listUrl,
    clock: () => now,
    ageMaxMs: 24 * hourMs,
    timeoutMs: patienceMsWith(null),
    ...options,
  });
/** Requests the list until it is available. */
const heldBy = (list: ReturnType<typeof listOf>) =>
  eventually('the list', () => list.current().catch(() => null));
const faultOf = async (work: Promise<unknown>): Promise<Failure> => {
  const fault: unknown = await work.then(
    () => null,
    (error: unknown) => error,
  );
  if (!(fault instanceof Failure)) throw new Error('no failure');
  return fault;
};

describe('the current revocation list', () => {
  it('is the published one, with the hash of its content', async () => {
    status.publish({ c0ffee: revoked });
    const { list, json, sha256, confirmedAt } = await listOf().current();
    const published = { entries: { c0ffee: revoked } };
    expect([...list.entries]).toEqual([['c0ffee', revoked]]);
    expect(json).toEqual(published);
    expect(sha256).toBe(createHash('sha256').update(JSON.stringify(published)).digest('hex'));
    expect(confirmedAt).toEqual(at);
  });

  it('is cached as long as its publisher allows', async () => {
    const list = listOf();
    await list.current();
    later(hourMs - 1);
    status.publish({ c0ffee: revoked });
    expect((await list.current()).list.entries.size).toBe(0);
    expect(status.requests).toHaveLength(1);
    later(1);
    expect((await list.current()).list.entries.size).toBe(1);
    expect(status.requests).toHaveLength(2);
  });

  it('is confirmed by its ETag without another download', async () => {
    const list = listOf();
    const first = await list.current();
    later(hourMs);
    const second = await list.current();
    expect(status.requests[1]?.headers['if-none-match']).toMatch(/^"/);
    expect(second.json).toBe(first.json);
    expect(second.confirmedAt.getTime() - first.confirmedAt.getTime()).toBe(hourMs);
    later(hourMs - 1);
    await list.current();
    expect(status.requests).toHaveLength(2);
  });

  it.each([null, 'no-store', 'no-cache, max-age=3600', 'private', 'x-max-age=3600', 'max-age=-1'])(
    'is fetched on every use with Cache-Control: %s',
    async (header) => {
      status.keepFor(header);
      const list = listOf();
      await list.current();
      await list.current();
      expect(status.requests).toHaveLength(2);
    },
  );

  it('is cached for a day at most, whatever its publisher says', async () => {
    status.keepFor('max-age=999999999');
    const list = listOf();
    await list.current();
    later(24 * hourMs);
    await list.current();
    expect(status.requests).toHaveLength(1);
    later(1);
    await list.current();
    expect(status.requests).toHaveLength(2);
  });

  it('has an age that includes the Age header', async () => {
    const body = { entries: {} };
    const headers = { 'Cache-Control': 'max-age=3600', Age: '3000' };
    status.failNext({ status: 200, headers, body });
    const list = listOf();
    expect((await list.current()).confirmedAt).toEqual(new Date(at.getTime() - 3_000_000));
    later(600_000);
    await list.current();
    expect(status.requests).toHaveLength(2);
  });

  it('is fetched once for concurrent requests', async () => {
    const list = listOf();
    const held = await Promise.all(Array.from({ length: 50 }, async () => list.current()));
    expect(new Set(held).size).toBe(1);
    expect(status.requests).toHaveLength(1);
  });
});

const faults = [
  ['500', { status: 500 }],
  ['404', { status: 404 }],
  ['a redirect', { status: 302, headers: { Location: '/attestation/status' } }],
  ['304 without a list', { status: 304 }],
  ['no JSON', { status: 200 }],
  ['another JSON', { status: 200, body: [] }],
  ['an entry that cannot be read', { status: 200, body: { entries: { c0ffee: 'REVOKED' } } }],
  ['a list that is too old', { status: 200, headers: { Age: '90000' }, body: { entries: {} } }],
  ['silence', 'hang'],
  ['a broken connection', 'reset'],
  ['a trickle', 'trickle'],
] as const;

describe('an unavailable publisher', () => {
  it.each(faults)('makes a process without a list fail: %s', async (_, fault) => {
    status.failNext(fault);
    const list = listOf({ timeoutMs: patienceMsWith(fault) });
    const { code } = await faultOf(list.current());
    expect(code).toBe('dependency_unavailable');
    expect((await heldBy(list)).list.entries.size).toBe(0);
  });

  it.each(faults.filter(([name]) => !name.startsWith('304')))(
    'leaves the cached list in use until it is too old: %s',
    async (_, fault) => {
      status.publish({ c0ffee: revoked });
      const list = listOf({ timeoutMs: patienceMsWith(fault) });
      const held = await heldBy(list);
      later(2 * hourMs);
      status.failNext(fault);
      expect((await list.current()).sha256).toBe(held.sha256);
      status.failNext(fault);
      later(22 * hourMs + 1);
      expect((await faultOf(list.current())).code).toBe('dependency_unavailable');
      expect((await heldBy(list)).list.entries.size).toBe(1);
    },
  );

  it('is not requested again for a minute', async () => {
    const list = listOf();
    await list.current();
    later(2 * hourMs);
    status.failNext({ status: 503 }, 9);
    await list.current();
    later(59_999);
    await list.current();
    expect(status.requests).toHaveLength(2);
    later(1);
    await list.current();
    expect(status.requests).toHaveLength(3);
  });

  it('causes an error with the retry time, and without content of the answer', async () => {
    const body = { secret: 'not to be seen' };
    status.failNext({ status: 503, headers: { 'Retry-After': '120' }, body });
    const fault = await faultOf(listOf().current());
    expect(fault.retryAfterSeconds).toBe(120);
    expect(String(fault.cause)).toBe('Error: android revocation list: 503');
  });

  it('includes one with a list over 16 MiB', async () => {
    const long = { entries: { c0ffee: { status: 'REVOKED', comment: 'x'.repeat(17_000_000) } } };
    status.failNext({ status: 200, body: long });
    const list = listOf();
    expect((await faultOf(list.current())).code).toBe('dependency_unavailable');
  });

  it('is requested again after the clock was set back', async () => {
    const list = listOf();
    await list.current();
    later(-1);
    await list.current();
    expect(status.requests).toHaveLength(2);
  });
});

describe('a published list', () => {
  it('is read with normalized serial numbers', () => {
    const { entries } = readStatusList({
      entries: {
        '2c8cdddfd5e03bfc': { status: 'REVOKED', expires: '2020-11-13', reason: 'KEY_COMPROMISE' },
        '00C8966FCB2FBB0D7A': { status: 'SUSPENDED', comment: 'being looked into' },
        '0': { status: 'REVOKED' },
      },
      more: 'ignored',
    });
    expect(Object.fromEntries(entries)).toEqual({
      '2c8cdddfd5e03bfc': revoked,
      c8966fcb2fbb0d7a: { status: 'SUSPENDED', reason: null },
      '0': { status: 'REVOKED', reason: null },
    });
  });

  it.each([
    null,
    undefined,
    [],
    '{"entries":{}}',
    {},
    { entries: null },
    { entries: [] },
    { entries: { xyz: revoked } },
    { entries: { '': revoked } },
    { entries: { ['a'.repeat(65)]: revoked } },
    { entries: { c0ffee: {} } },
    { entries: { c0ffee: { status: 1 } } },
    { entries: { c0ffee: [revoked] } },
  ])('is invalid as %j', (json) => {
    expect(() => readStatusList(json)).toThrow(MalformedStatusList);
  });

  it('returns the status of the certificates of a real phone', () => {
    const chain = vectorOf('Pixel 6').chain.map(bytes);
    const listed = { d71dfb3563e5d9cb46dd12c1ba226c39: revoked, c0ffee: revoked };
    const list = readStatusList({ entries: listed });
    const said = chain.map((certificate) => statusOf(list, readCertificate(certificate)));
    expect(said).toEqual([null, revoked, null, null, null]);
    const part = entriesOf(list, [...chain, Buffer.from('no certificate')]);
    expect(part).toEqual({ d71dfb3563e5d9cb46dd12c1ba226c39: { status: 'REVOKED' } });
    expect([...readStatusList({ entries: part }).entries.keys()]).toEqual(Object.keys(part));
  });

  it('applies to a phone from the moment of publication', async () => {
    const chain = mint();
    const list = listOf();
    const judged = async (): Promise<string> =>
      outcome(judge(chain, { revocation: (await list.current()).list }));
    expect(await judged()).toBe('passed');
    const { serial } = readCertificate(chain[1] ?? Buffer.of());
    status.publish({ [serial]: revoked });
    later(hourMs);
    expect(await judged()).toBe('key_revoked at revocation');
  });
});
