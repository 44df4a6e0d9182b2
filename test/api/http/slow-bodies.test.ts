import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import { browserOf } from '../../support/http/browser-keys.ts';
import { collecting, newLink } from '../../support/http/client.ts';
import { witness } from '../../support/http/witness.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';

const { baseUrl, own } = ownPlatform();

describe.concurrent('a request body that arrives slowly', () => {
  it('is accepted at 64 kB per second plus 15 seconds', async () => {
    const session = await collecting(await newLink());
    const parts = [...Array.from({ length: 17 }, () => Buffer.alloc(100_000)), Buffer.from('end')];
    const whole = Buffer.concat(parts);
    const body = new ReadableStream({
      async pull(controller) {
        await new Promise((resolve) => setTimeout(resolve, 1_000));
        const part = parts.shift();
        if (part) controller.enqueue(part);
        else controller.close();
      },
    });
    const url = `${baseUrl}/v2/trust-checks/${session.id}/evidence/slow`;
    const { token } = session;
    const dpop = await browserOf(token)?.sign({ method: 'PUT', url, token, body: whole });
    const slow = await fetch(url, {
      method: 'PUT',
      headers: {
        authorization: `Bearer ${token}`,
        dpop: dpop ?? '',
        'content-type': 'application/octet-stream',
      },
      body,
      duplex: 'half',
    });
    expect([slow.status, Object(await slow.json()).size_bytes]).toEqual([200, 1_700_003]);
  });
});

describe.concurrent('a request body that stops', () => {
  it('is answered with 408 after 15 seconds', async () => {
    const { hostname, port } = new URL(baseUrl);
    const path = `/v2/${own.app_id}`;
    const socket = connect(Number(port), hostname);
    const head = [
      `PUT ${path} HTTP/1.1`,
      `Host: ${hostname}:${port}`,
      // Without a credential the request is refused before its body is read.
      `Authorization: Bearer ${own.api_key}`,
      'Content-Type: application/json',
      'Content-Length: 100',
    ];
    socket.write(`${head.join('\r\n')}\r\n\r\n{"title":`);
    const parts: Buffer[] = [];
    for await (const part of socket) parts.push(part as Buffer);
    const [top = '', text = ''] = Buffer.concat(parts).toString().split('\r\n\r\n');
    const [status = '', ...lines] = top.split('\r\n');
    expect(status).toContain('408');
    const headers = new Headers(
      lines.map((line): [string, string] => {
        const at = line.indexOf(':');
        return [line.slice(0, at), line.slice(at + 1).trim()];
      }),
    );
    const body = JSON.parse(text) as Record<string, unknown>;
    expect(body['code']).toBe('body_timeout');
    witness('PUT', path, { status: 408, headers, text, body }, baseUrl);
  });
});
