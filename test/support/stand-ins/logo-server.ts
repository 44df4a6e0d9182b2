import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { crc32, deflateSync } from 'node:zlib';
import sharp from 'sharp';

/** A server of images, including hostile ones. Records its requests and the bytes it sent. */
export interface LogoServer {
  readonly url: string;
  /** The requested paths, in order. */
  readonly asked: string[];
  /** Bytes of the endless image that a client has read. */
  readonly taken: () => number;
  stop(): Promise<void>;
}

type Serve = (response: ServerResponse) => void | Promise<void>;

const dripMs = 100;

/** A chunk of a PNG (W3C PNG §5.3). */
function chunk(type: string, data: Uint8Array): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, sum]);
}

/** A PNG of some kilobytes that decodes to millions of black pixels. */
export function pixelBomb(side: number): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(side, 0);
  header.writeUInt32BE(side, 4);
  header[8] = 1;
  const rows = deflateSync(Buffer.alloc(side * (Math.ceil(side / 8) + 1)), { level: 9 });
  const signature = Buffer.from('89504e470d0a1a0a', 'hex');
  const parts = [chunk('IHDR', header), chunk('IDAT', rows), chunk('IEND', Buffer.alloc(0))];
  return Buffer.concat([signature, ...parts]);
}

/** A flat image of one color. */
const flat = (width: number, height: number, background: string) =>
  sharp({ create: { width, height, channels: 4, background } });

export async function startLogoServer(): Promise<LogoServer> {
  const asked: string[] = [];
  let taken = 0;
  const wide = await flat(600, 200, '#1b57b880').png().toBuffer();
  const square = await flat(40, 40, '#a03070').webp({ lossless: true }).toBuffer();
  const photo = await flat(80, 160, '#207040')
    .jpeg()
    .withMetadata({ orientation: 6, exif: { IFD0: { Copyright: 'secret-of-the-camera' } } })
    .toBuffer();
  const noise = await sharp({
    create: {
      width: 1200,
      height: 1200,
      channels: 3,
      background: '#808080',
      noise: { type: 'gaussian', mean: 128, sigma: 60 },
    },
  })
    .png()
    .toBuffer();
  const svg = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>';
  const send =
    (body: Uint8Array | string, type = 'image/png'): Serve =>
    (response) =>
      void response.writeHead(200, { 'content-type': type }).end(body);
  const redirect =
    (location: string): Serve =>
    (response) =>
      void response.writeHead(302, { location }).end();
  const files: Readonly<Record<string, Serve>> = {
    '/wide.png': send(wide),
    '/square.webp': send(square, 'text/plain'),
    '/photo.jpg': send(photo, 'image/jpeg'),
    '/polyglot.png': send(Buffer.concat([wide, Buffer.from('<script>alert(1)</script>')])),
    '/logo.svg': send(svg, 'image/svg+xml'),
    '/svg.png': send(svg),
    '/page.png': send('<!doctype html><script>alert(1)</script>'),
    '/script.gif': send('GIF89a/*\u0000*/=1;alert(1)', 'image/gif'),
    '/empty.png': send(''),
    '/truncated.png': send(noise.subarray(0, 100_000)),
    '/bomb.png': send(pixelBomb(20_000)),
    '/over.png': send(pixelBomb(4_100)),
    '/large.png': send(noise),
    '/missing.png': (response) => void response.writeHead(404).end(wide),
    '/redirect.png': redirect('http://169.254.169.254/latest/meta-data'),
    '/redirect-here.png': redirect('/wide.png'),
    '/cut.png': (response) => {
      response.writeHead(200, { 'content-length': String(wide.length) });
      response.write(wide.subarray(0, 50), () => response.destroy());
    },
    '/drip.png': async (response) => {
      response.writeHead(200, { 'content-type': 'image/png' });
      const timer = setInterval(() => response.write('x'), dripMs);
      await once(response, 'close');
      clearInterval(timer);
    },
    '/endless.png': async (response) => {
      response.writeHead(200, { 'content-type': 'image/png', 'content-length': '1073741824' });
      const part = Buffer.concat([wide, Buffer.alloc(64 * 1024)]);
      const closed = once(response, 'close');
      while (!response.destroyed) {
        taken += part.length;
        if (!response.write(part)) await Promise.race([closed, once(response, 'drain')]);
      }
    },
  };
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://here');
    asked.push(pathname);
    const serve = files[pathname] ?? ((other) => void other.writeHead(404).end());
    void serve(response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}`,
    asked,
    taken: () => taken,
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
