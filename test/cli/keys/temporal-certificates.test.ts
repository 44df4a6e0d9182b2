import { execFileSync } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeTemporalCertificates } from '../../../cli/temporal/certificates.ts';

const dayMs = 24 * 3600_000;
const now = new Date('2026-11-24T12:00:00Z');
let directory: string;
let first: string[];

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'trustcheck-temporal-'));
  first = await makeTemporalCertificates(directory, ['temporal'], now);
});
afterAll(() => rm(directory, { recursive: true, force: true }));

const pem = (path: string): Promise<string> => readFile(join(directory, path), 'utf8');
const later = (days: number): Date => new Date(now.getTime() + days * dayMs);

/** Has OpenSSL verify a certificate for one purpose. */
function verify(path: string, purpose: 'sslserver' | 'sslclient', ...words: string[]): string {
  const ca = join(directory, 'ca/ca.pem');
  const at = String(Math.floor(now.getTime() / 1000));
  const flags = ['verify', '-attime', at, '-CAfile', ca, '-purpose', purpose, ...words];
  return execFileSync('openssl', [...flags, join(directory, path)], { encoding: 'utf8' });
}

describe('the certificates of mutual TLS', () => {
  it('are written into one folder each for the CA, the server and the client', () => {
    expect(first.toSorted()).toEqual([
      'ca/ca.key.pem',
      'ca/ca.pem',
      'client/ca.pem',
      'client/client.key.pem',
      'client/client.pem',
      'server/ca.pem',
      'server/server.key.pem',
      'server/server.pem',
    ]);
  });

  it('are accepted by OpenSSL for their purpose and host name', () => {
    for (const host of ['temporal', 'localhost']) {
      const words = ['-verify_hostname', host];
      expect(verify('server/server.pem', 'sslserver', ...words)).toMatch(/OK/);
    }
    expect(verify('server/server.pem', 'sslclient')).toMatch(/OK/);
    expect(verify('client/client.pem', 'sslclient')).toMatch(/OK/);
  });

  it('do not let a client act as a server', () => {
    expect(() => verify('client/client.pem', 'sslserver')).toThrow(/unsuitable|purpose/i);
  });

  it('keep the CA key unreadable for other users', async () => {
    const { mode } = await stat(join(directory, 'ca/ca.key.pem'));
    expect(mode & 0o777).toBe(0o600);
  });

  it('are not rewritten while more than half of their lifetime remains', async () => {
    expect(await makeTemporalCertificates(directory, ['temporal'], later(364))).toEqual([]);
  });

  it('are renewed by the same CA with the same keys after half of their lifetime', async () => {
    const [ca, key, old] = await Promise.all(
      ['ca/ca.pem', 'client/client.key.pem', 'client/client.pem'].map(pem),
    );
    const written = await makeTemporalCertificates(directory, ['temporal'], later(366));
    expect(written).toEqual(['server/server.pem', 'client/client.pem']);
    expect(await pem('ca/ca.pem')).toBe(ca);
    expect(await pem('client/client.key.pem')).toBe(key);
    const renewed = new X509Certificate(await pem('client/client.pem'));
    expect(renewed.checkIssued(new X509Certificate(ca ?? ''))).toBe(true);
    expect(renewed.serialNumber).not.toBe(new X509Certificate(old ?? '').serialNumber);
  });

  it('are renewed when the name of the server changes', async () => {
    const written = await makeTemporalCertificates(directory, ['workflows'], later(366));
    expect(written).toEqual(['server/server.pem']);
    const server = new X509Certificate(await pem('server/server.pem'));
    expect([server.checkHost('workflows'), server.checkHost('temporal')]).toEqual([
      'workflows',
      undefined,
    ]);
  });

  it('are completed after an interrupted run', async () => {
    await rm(join(directory, 'server/server.pem'));
    await rm(join(directory, 'client'), { recursive: true });
    const written = await makeTemporalCertificates(directory, ['workflows'], later(366));
    expect(written.toSorted()).toEqual([
      'client/ca.pem',
      'client/client.key.pem',
      'client/client.pem',
      'server/server.pem',
    ]);
  });
});
