import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { downloadLogo } from '../../../activities/links/logos/download-logo.ts';

let server: Server;
let port: number;
let connections = 0;
beforeAll(async () => {
  server = createServer((_request, response) => response.end('an image'));
  server.on('connection', () => (connections += 1));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  ({ port } = server.address() as AddressInfo);
});
afterAll(() => void server.close());

describe('a download of a logo in production', () => {
  it.each([
    'https://127.0.0.1:PORT/logo.png',
    'https://localhost:PORT/logo.png',
    'https://[::ffff:127.0.0.1]:PORT/logo.png',
    'https://2130706433:PORT/logo.png',
    'https://10.0.0.1/logo.png',
    'https://169.254.169.254/latest/meta-data',
    'https://[fd00:ec2::254]/latest/meta-data',
    'https://metadata.google.internal/',
    'http://example.com/logo.png',
    'https://user:pass@example.com/logo.png',
    'file:///etc/passwd',
    'data:image/png;base64,AAAA',
  ])('sends no request to %s', async (form) => {
    const url = form.replace('PORT', String(port));
    expect(await downloadLogo(url, false)).toBe('forbidden');
    expect(connections).toBe(0);
  });

  it('reaches this machine only in development', async () => {
    const bytes = await downloadLogo(`http://127.0.0.1:${port}/logo.png`, true);
    expect(Buffer.from(bytes as Uint8Array).toString()).toBe('an image');
    expect(connections).toBe(1);
  });
});
