// Runs before any other module is loaded. Disables code generation in zod, which the page's policy
// forbids. Silences the console, because the PDF parser logs what it encounters.
import { config } from 'zod';
import { Buffer, nameLacks } from './node/buffer.ts';
import { PublicKey } from './node/public-key.ts';
import { X509Certificate } from './node/x509.ts';

/** Member names of Node's objects. The bundler inserts them. */
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
