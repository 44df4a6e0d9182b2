import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { connect as connectTcp, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer, type Server } from 'node:tls';
import { NativeConnection } from '@temporalio/worker';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { temporalTlsOf, type TemporalTlsSettings } from '../../activities/runtime/temporal-tls.ts';
import { connectTemporal } from '../../api/temporal.ts';
import { temporalAnswers } from '../../cli/platform/temporal.ts';
import { makeTemporalCertificates } from '../../cli/temporal/certificates.ts';
import { ownPlatform } from '../support/platform/own-platform.ts';

const { temporalAddress } = ownPlatform();
let directory: string;
let server: Server;
let address: string;

/** Certificates of the CA of the server, and of a CA that the server does not know. */
const folders = ['known', 'unknown'] as const;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'trustcheck-tls-'));
  for (const name of folders) {
    await makeTemporalCertificates(join(directory, name), ['temporal'], new Date());
  }
  server = await guard(join(directory, 'known/server'));
  address = `localhost:${(server.address() as AddressInfo).port}`;
});
afterAll(async () => {
  server.close();
  await rm(directory, { recursive: true, force: true });
});

/** Starts a proxy before the Temporal server that admits only clients of its CA. */
async function guard(folder: string): Promise<Server> {
  const [ca, cert, key] = await Promise.all(
    ['ca.pem', 'server.pem', 'server.key.pem'].map((name) => readFile(join(folder, name))),
  );
  const [host = '', port = ''] = temporalAddress.split(':');
  const options = { ca, cert, key, requestCert: true, ALPNProtocols: ['h2'] };
  const guarding = createServer(options, (socket) => {
    const inner = connectTcp(Number(port), host);
    for (const end of [socket, inner]) end.on('error', () => undefined);
    socket.pipe(inner).pipe(socket);
  });
  guarding.on('tlsClientError', () => undefined);
  await new Promise<void>((resolve) => guarding.listen(0, '127.0.0.1', resolve));
  return guarding;
}

function settingsOf(
  client: (typeof folders)[number],
  ca: (typeof folders)[number] = client,
): Required<TemporalTlsSettings> {
  return {
    TEMPORAL_TLS_CA: join(directory, ca, 'client/ca.pem'),
    TEMPORAL_TLS_CERT: join(directory, client, 'client/client.pem'),
    TEMPORAL_TLS_KEY: join(directory, client, 'client/client.key.pem'),
  };
}

const answers = (settings: TemporalTlsSettings): Promise<boolean> =>
  temporalAnswers(address, { msMax: 5_000, tls: temporalTlsOf(settings) });

describe('mutual TLS with the Temporal server', () => {
  it('lets the API call it with a certificate of the CA', async () => {
    const connection = connectTemporal(address, temporalTlsOf(settingsOf('known')));
    const info = await connection.workflowService.getSystemInfo({});
    expect(info.capabilities).toBeDefined();
    await connection.close();
  });

  it('lets a worker connect with a certificate of the CA', async () => {
    const tls = temporalTlsOf(settingsOf('known'));
    const connection = await NativeConnection.connect({ address, ...(tls && { tls }) });
    await connection.close();
  });

  it.each([
    ['plain text', {}],
    ['a certificate of another CA', () => settingsOf('unknown', 'known')],
    ['a server of another CA', () => settingsOf('known', 'unknown')],
  ] as const)('refuses %s', async (_, settings) => {
    expect(await answers(settingsOf('known'))).toBe(true);
    expect(await answers(typeof settings === 'function' ? settings() : settings)).toBe(false);
  });
});

describe('the settings of mutual TLS', () => {
  it('are absent for a plain text connection', () => {
    expect(temporalTlsOf({})).toBeUndefined();
    expect(temporalTlsOf({ TEMPORAL_TLS_CA: '', TEMPORAL_TLS_CERT: '' })).toBeUndefined();
  });

  it('are rejected by name when incomplete', () => {
    const { TEMPORAL_TLS_CA } = settingsOf('known');
    expect(() => temporalTlsOf({ TEMPORAL_TLS_CA })).toThrow(
      'wrong settings: TEMPORAL_TLS_CERT, TEMPORAL_TLS_KEY: required',
    );
  });

  it('are rejected by file name when a file is unreadable or not PEM', async () => {
    const missing = { ...settingsOf('known'), TEMPORAL_TLS_KEY: join(directory, 'nothing.pem') };
    expect(() => temporalTlsOf(missing)).toThrow(/^wrong settings: TEMPORAL_TLS_KEY: ENOENT/);
    const TEMPORAL_TLS_CERT = join(directory, 'certificate.der');
    await writeFile(TEMPORAL_TLS_CERT, Buffer.of(0x30, 0x82));
    expect(() => temporalTlsOf({ ...settingsOf('known'), TEMPORAL_TLS_CERT })).toThrow(
      /^wrong settings: TEMPORAL_TLS_CERT: .*certificate\.der is not a PEM file$/,
    );
  });
});
