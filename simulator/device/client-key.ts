import { createPublicKey } from 'node:crypto';
import {
  createBrowserKey,
  type BrowserKey,
  type BrowserKeyPair,
} from '../../client/browser-key.ts';
import type { Device } from './device.ts';

const algorithm = { name: 'ECDSA', namedCurve: 'P-256' };

/** Returns the signing key of a phone as the key to which its check tokens are bound (RFC 9449). */
export const clientKeyOf = (device: Pick<Device, 'signingKey'>): Promise<BrowserKey> =>
  createBrowserKey(signingPairOf(device));

/** Returns the signing key of a phone as a Web Crypto pair. */
export const signingPairOf = ({ signingKey }: Pick<Device, 'signingKey'>): BrowserKeyPair => ({
  privateKey: signingKey.toCryptoKey(algorithm, false, ['sign']),
  publicKey: createPublicKey(signingKey).toCryptoKey(algorithm, true, ['verify']),
});
