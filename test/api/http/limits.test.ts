import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { withOperationsResolved } from '../../../api/docs/document-refs.ts';
import { networkOf } from '../../../api/http/server/network-of.ts';
import { beginSession, call, newLink, type Answer } from '../../support/http/client.ts';
import { contracts } from '../../support/http/routes.ts';
import { openTestDb } from '../../support/platform/harness.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';

const { own, databaseUrl } = ownPlatform();
const names = ['ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset'];
const left = ({ headers }: Answer): number[] => names.map((name) => Number(headers.get(name)));

describe('the RateLimit headers', () => {
  it('are in every answer of an address-limited operation, from 201 to 415', async () => {
    const headers = { 'x-forwarded-for': '203.0.113.61' };
    const begin = (body: unknown, more = {}): Promise<Answer> =>
      call('POST', '/v2/trust-checks', { body, headers: { ...headers, ...more } });
    const answers = [
      await begin({ link_uuid: await newLink(), client: 'web' }),
      await begin({ link_uuid: 'none', client: 'web' }),
      await begin({ client: 'nobody' }),
      await begin({}, { 'content-type': 'text/plain' }),
      await begin({}, { authorization: 'Bearer nonsense' }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([201, 404, 422, 415, 401]);
    expect(answers.map((answer) => left(answer).slice(0, 2))).toEqual([
      [120, 119],
      [120, 118],
      [120, 117],
      [120, 116],
      [120, 115],
    ]);
    for (const answer of answers) expect(left(answer)[2]).toBeGreaterThan(0);
  });

  it('count per caller with a credential, whatever the result of the call', async () => {
    const session = await beginSession(await newLink());
    const answers = [
      await session.step('phone/code', { phone_number: 'nonsense' }),
      await session.step('phone/code', {}),
      await session.step('phone/code', { phone_number: '+4915112345678' }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([409, 422, 409]);
    expect(answers.map((answer) => left(answer).slice(0, 2))).toEqual([
      [20, 19],
      [20, 18],
      [20, 17],
    ]);
  });

  it('can be read by the pages of an app', async () => {
    const origin = `https://limits-${process.pid}.example`;
    const db = openTestDb(databaseUrl);
    const change = (verb: 'append' | 'remove') =>
      db.query(
        `UPDATE apps SET allowed_origins = array_${verb}(allowed_origins, $2) WHERE app_id = $1`,
        [own.app_id, origin],
      );
    await change('append');
    const body = { link_uuid: await newLink(), client: 'web' };
    const begun = await call('POST', '/v2/trust-checks', { body, headers: { origin } });
    await change('remove');
    await db.end();
    const exposed = begun.headers.get('access-control-expose-headers')?.toLowerCase().split(', ');
    expect(exposed).toEqual(expect.arrayContaining([...names, 'retry-after']));
  });

  it('are declared for exactly the answers of limited operations', async () => {
    const { body } = await call('GET', '/openapi.json');
    const { paths, components } = withOperationsResolved(body) as Document;
    for (const { id, method, path, limit, hidden } of contracts) {
      if (hidden) continue;
      const { responses } = paths[path.replaceAll('*}', '}')]?.[method] ?? { responses: {} };
      for (const [status, { headers = {} }] of Object.entries(responses)) {
        const declared = Object.keys(headers).map((name) => name.toLowerCase());
        const ofLimits = declared.filter((name) => name.startsWith('ratelimit-'));
        // A 431 is sent before the operation is known, and does not count.
        expect(ofLimits, `${id} ${status}`).toEqual(limit && status !== '431' ? names : []);
        if (status === '429') expect(declared, id).toContain('retry-after');
        for (const { $ref } of Object.values(headers)) {
          const [name = ''] = $ref.split('/').slice(-1);
          expect(Object.keys(components.headers)).toContain(name);
        }
      }
    }
  });
});

describe('a limit by address', () => {
  const { pid } = process;
  const group = (pid & 0xffff).toString(16);
  const network = `2001:db8:${group}`;
  const begin = (from: string, more = {}, body = {}): Promise<Answer> =>
    call('POST', '/v2/trust-checks', { body, headers: { 'x-forwarded-for': from, ...more } });

  it.each([
    [
      'all of an IPv6 network and every spelling of one of its addresses',
      [`${network}:2::1`, `${network}:2::2`, `${network}:2:ffff:ffff:ffff:ffff`],
      [`${network.toUpperCase()}:0002:0:0:0:1`, `${network}:2::192.0.2.1`],
    ],
    [
      'both spellings of an IPv4 address',
      [`198.51.100.${pid % 250}`, `::ffff:198.51.100.${pid % 250}`],
      [`::FFFF:c633:64${(pid % 250).toString(16).padStart(2, '0')}`],
    ],
  ])('counts %s as one', async (_name, addresses, spellings) => {
    const from = [...addresses, ...spellings];
    const leftOf: (number | undefined)[] = [];
    for (const address of from) leftOf.push(left(await begin(address))[1]);
    expect(leftOf).toEqual(from.map((_address, place) => 119 - place));
  });

  it('counts the address added by our proxy, not one claimed by the caller', async () => {
    const [told, other] = [`198.19.${pid % 250}.1`, `198.19.${pid % 250}.2`];
    const leftOf: (number | undefined)[] = [];
    for (const from of [
      told,
      `203.0.113.200, ${told}`,
      `203.0.113.201, 127.0.0.1, ${told}`,
      `${other}, ${told}`,
      // Two of our proxies in a row.
      `203.0.113.202, ${told}, 127.0.0.1`,
    ]) {
      leftOf.push(left(await begin(from))[1]);
    }
    expect(leftOf).toEqual([119, 118, 117, 116, 115]);
    expect(left(await begin(other))[1]).toBe(119);
  });

  it('counts different networks separately', async () => {
    for (const address of [`${network}:3::1`, `${network}:4::1`]) {
      expect(left(await begin(address))[1]).toBe(119);
    }
  });

  it('does not affect idempotency: a caller without a credential can repeat from any address', async () => {
    const body = { link_uuid: await newLink(), client: 'web' };
    const key = { 'idempotency-key': randomUUID() };
    const first = await begin(`${network}:5::1`, key, body);
    expect(first.status).toBe(201);
    const again = await begin(`${network}:5::9`, key, body);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect(again.body).toEqual(first.body);
    const elsewhere = await begin(`${network}:6::1`, key, body);
    expect(elsewhere.body).toEqual(first.body);
  });
});

describe('networkOf', () => {
  it.each([
    ['203.0.113.7', '203.0.113.7'],
    ['::ffff:203.0.113.7', '203.0.113.7'],
    ['::FFFF:cb00:7107', '203.0.113.7'],
    ['64:ff9b::203.0.113.7', '203.0.113.7'],
    ['64:ff9b::cb00:7107', '203.0.113.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:0DB8:0001:0002::1', '2001:db8:1:2::/64'],
    ['2001:db8:0:2::192.0.2.1', '2001:db8:0:2::/64'],
    ['2001:db8::1', '2001:db8::/64'],
    ['::1', '::/64'],
    ['fe80::1%eth0', 'fe80::/64'],
    ['ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', 'ffff:ffff:ffff:ffff::/64'],
    ['unknown', 'unknown'],
    ['0x7f.1', '0x7f.1'],
    ['', ''],
  ])('maps %s to %s', (address, shown) => {
    expect(networkOf(address)).toBe(shown);
  });
});

interface Document {
  readonly paths: Readonly<
    Record<
      string,
      Record<string, { responses: Record<string, { headers?: Record<string, { $ref: string }> }> }>
    >
  >;
  readonly components: { readonly headers: Readonly<Record<string, unknown>> };
}
