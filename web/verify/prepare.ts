// Before anything else is loaded: what the page forbids is not tried, and nothing is written to the
// console, which the parser of PDF tells what it meets.
import { config } from 'zod';
import { Buffer, nameLacks } from './node/buffer.ts';
import { PublicKey } from './node/public-key.ts';
import { X509Certificate } from './node/x509.ts';

/** What Node's have, by name: the bundler puts it in. */
declare const nodeMembers: Readonly<
  Record<'buffers' | 'buffer' | 'certificate' | 'key', readonly string[]>
>;

config({ jitless: true });
nameLacks(Buffer, nodeMembers.buffers);
nameLacks(Buffer.prototype, nodeMembers.buffer);
nameLacks(X509Certificate.prototype, nodeMembers.certificate);
nameLacks(PublicKey.prototype, nodeMembers.key);
for (const level of ['debug', 'error', 'info', 'log', 'warn'] as const) {
  console[level] = () => undefined;
}
