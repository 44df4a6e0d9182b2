import type { X509Certificate } from 'node:crypto';
import { elementsOf, MalformedDer, tags } from '../read-der.ts';
import { readCrl } from './crl.ts';

/** Returns when a CRL was signed and when it expires; null if it is not a CRL of this root. */
export function readRootCrl(
  der: Uint8Array,
  root: X509Certificate,
): { readonly thisUpdate: Date; readonly nextUpdate: Date } | null {
  try {
    const crl = readCrl(der);
    const { thisUpdate, nextUpdate } = crl;
    const isSigned = crl.signed({ publicKey: () => root.publicKey }, 'refuse');
    return isSigned && nextUpdate ? { thisUpdate, nextUpdate } : null;
  } catch (error) {
    if (!(error instanceof MalformedDer)) throw error;
    return null;
  }
}

/** Returns when the root's CRL expires; null without a CRL. */
export function rootListEndsAt({
  root: { crl, certificate },
}: {
  readonly root: { readonly crl: Uint8Array | null; readonly certificate: X509Certificate };
}): Date | null {
  return (crl && readRootCrl(crl, certificate)?.nextUpdate) ?? null;
}

/** Parsed serials per CRL, kept as long as the process that loaded it. */
const serialsRead = new WeakMap<Uint8Array, ReadonlySet<bigint>>();

/** Whether a CRL lists a certificate (RFC 5280 §5.1.2.6). Loading verified the CRL. */
export function isListed(
  crl: Uint8Array,
  certificate: Pick<X509Certificate, 'serialNumber'>,
): boolean {
  const serials = serialsRead.get(crl) ?? serialsIn(crl);
  serialsRead.set(crl, serials);
  return serials.size > 0 && serials.has(BigInt(`0x${certificate.serialNumber}`));
}

function serialsIn(crl: Uint8Array): ReadonlySet<bigint> {
  const serials = Array.from(elementsOf(readCrl(crl).entries), ({ contents }) => {
    const [serial] = elementsOf(contents);
    if (serial?.tag !== tags.integer) throw new MalformedDer('not a revoked certificate');
    return BigInt(`0x${Buffer.from(serial.contents).toString('hex')}`);
  });
  return new Set(serials);
}
