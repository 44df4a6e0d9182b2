import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { request } from 'undici';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  isAllowedTarget,
  isPublicAddress,
  leadsInside,
  assertAllowedUrl,
} from '../../../activities/vendors/guard.ts';
import { createGuardedAgent } from '../../../activities/vendors/guarded-agent.ts';

/** Hosts that are not on the public internet, in every spelling that a URL may have. */
const hostile = [
  // This machine.
  '127.0.0.1',
  '127.1',
  '127.255.255.254',
  '2130706433',
  '0x7f000001',
  '0x7f.0.0.1',
  '0177.0.0.1',
  '0177.1',
  '%31%32%37.0.0.1',
  '\uff11\uff12\uff17.0.0.1',
  '127.0.0.1.',
  'localhost',
  'localhost.',
  'LOCALHOST',
  'x.localhost.',
  '0.0.0.0',
  '0',
  '0.1.2.3',
  '[::1]',
  '[::]',
  '[0:0:0:0:0:0:0:1]',
  // An IPv4 address within one of IPv6: compatible, mapped, translated, 6to4, Teredo, NAT64.
  '[::127.0.0.1]',
  '[::10.0.0.1]',
  '[::169.254.169.254]',
  '[::ffff:127.0.0.1]',
  '[::ffff:a9fe:a9fe]',
  '[::ffff:8.8.8.8]',
  '[0:0:0:0:0:ffff:808:808]',
  '[2002:808:808::1]',
  '[64:ff9b::8.8.8.8]',
  '[::ffff:0:10.0.0.1]',
  '[2002:7f00:1::]',
  '[2002:a9fe:a9fe::1]',
  '[2001:0:7f00:1::]',
  '[64:ff9b::10.0.0.1]',
  '[64:ff9b:1::7f00:1]',
  // Networks of others, and unassigned ones.
  '10.0.0.1',
  '172.16.0.1',
  '172.31.255.254',
  '192.168.1.1',
  '100.64.0.1',
  '169.254.169.254',
  '2852039166',
  '0251.0376.0251.0376',
  '192.0.0.192',
  '192.0.2.1',
  '198.18.0.1',
  '224.0.0.1',
  '240.0.0.1',
  '255.255.255.255',
  '[fc00::1]',
  '[fd00:ec2::254]',
  '[fe80::1]',
  '[fec0::1]',
  '[ff02::1]',
  '[2001:db8::1]',
  '[100::1]',
  '[4000::1]',
  'intranet',
  'printer.local',
  'printer.local.',
  'metadata.google.internal',
  'metadata.google.internal.',
  // Invalid names, and names that only a private network resolves.
  'localhost..',
  'localhost...',
  'hooks.example.com..',
  '.example.com',
  'hooks..example.com',
  '-hooks.example.com',
  `${'a'.repeat(64)}.example.com`,
  'x.localhost',
  'localhost.localdomain',
  'nas.LAN',
  'nas.lan.',
  'router.home',
  'router.home.arpa',
  '1.0.0.127.in-addr.arpa',
  'hidden.onion',
  'wiki.corp',
  'wiki.intranet',
  'db.private',
  'x.invalid',
  // The same addresses again, in spellings that a parser has to normalize.
  '0300.0250.0.1',
  '0xc0.0xa8.0x0.0x1',
  '3232235521',
  '0xc0a80001',
  '10.1',
  '0xa.1',
  '127.0.0.1%2e',
  '127\u30020.0.1',
  '[::ffff:7f00:1]',
  '[::FFFF:192.168.0.1]',
  '[0:0:0:0:0:ffff:c0a8:1]',
  '[::ffff:0:0]',
];

describe('the URL of a webhook', () => {
  it.each(hostile)('cannot have the host %s', (host) => {
    expect(isAllowedTarget(`https://${host}/hook`, false)).toBe(false);
    expect(isAllowedTarget(`https://${host}:8443/hook`, false)).toBe(false);
    expect(() => assertAllowedUrl(`https://${host}/hook`, false)).toThrow('not public');
  });

  it.each([
    'https://hooks.example.com/in?x=1',
    'https://hooks.example.com:8443/',
    'https://hooks.example.com./',
    'https://xn--bcher-kva.example.com/',
    'https://b\u00fccher.example.com/',
    'https://_hooks.my-lan.example.com/',
    'https://localhost.example.com/',
    'https://8.8.8.8/',
    'https://[2606:4700::6810:85e5]/',
  ])('can be %s', (url) => {
    expect(isAllowedTarget(url, false)).toBe(true);
  });

  it.each([
    '::1',
    '::ffff:10.0.0.1',
    '::ffff:8.8.8.8',
    '::FFFF:808:808',
    '0:0:0:0:0:ffff:8.8.8.8',
    '::8.8.8.8',
    '::10.0.0.1',
    'fe80::1%eth0',
    '',
    'x',
    '1.2.3',
    '010.0.0.1',
    '4000::1',
  ])('cannot resolve to %j', (address) => {
    expect(isPublicAddress(address)).toBe(false);
  });

  it.each(['8.8.8.8', '2606:4700::6810:85e5'])('can resolve to %s', (address) => {
    expect(isPublicAddress(address)).toBe(true);
  });
});

describe('leadsInside', () => {
  const givenTo = (...addresses: string[]) =>
    leadsInside('https://hooks.example.com./in', async (hostname) => {
      expect(hostname).toBe('hooks.example.com');
      return addresses.map((address) => ({ address }));
    });

  it.each(['127.0.0.1', '10.1.2.3', '169.254.169.254', '::1', 'fd00::1', '::ffff:8.8.8.8'])(
    'is true when one of the addresses is %s',
    async (address) => {
      expect(await givenTo(address)).toBe(true);
      expect(await givenTo('8.8.8.8', address)).toBe(true);
    },
  );

  it('is false for public addresses, and for a name without any address', async () => {
    expect(await givenTo('8.8.8.8', '2606:4700::6810:85e5')).toBe(false);
    expect(await givenTo()).toBe(false);
    const unknown = leadsInside('https://hooks.example.com/', () =>
      Promise.reject(new Error('ENOTFOUND')),
    );
    expect(await unknown).toBe(false);
    const silent = leadsInside('https://hooks.example.com/', () => new Promise(() => undefined));
    expect(await silent).toBe(false);
  });
});

describe('a name that resolves to this machine', () => {
  let server: Server;
  let connections = 0;
  beforeAll(async () => {
    server = createServer((_request, response) => response.end('in'));
    server.on('connection', () => (connections += 1));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  afterAll(() => new Promise((resolve) => server.close(resolve)));

  const knock = async (allowPrivate: boolean): Promise<number> => {
    const agent = createGuardedAgent(allowPrivate);
    const { port } = server.address() as AddressInfo;
    try {
      const { statusCode, body } = await request(`http://localhost:${port}/`, {
        dispatcher: agent,
      });
      await body.dump();
      return statusCode;
    } finally {
      await agent.destroy();
    }
  };

  it('is refused after resolution, before any connection', async () => {
    await expect(knock(false)).rejects.toMatchObject({ code: 'FORBIDDEN_TARGET' });
    expect(connections).toBe(0);
    expect(await knock(true)).toBe(200);
  });
});
