import { verify as verifySignature, type X509Certificate } from 'node:crypto';
import * as asn1 from 'asn1js';

/** When a CRL was signed and until when it holds; null when it is no CRL of this root. */
export function readRootCrl(
  crl: Uint8Array,
  root: X509Certificate,
): { readonly thisUpdate: Date; readonly nextUpdate: Date } | null {
  const { result } = asn1.fromBER(crl);
  const [tbs, , bits] = result instanceof asn1.Sequence ? result.valueBlock.value : [];
  if (!(tbs instanceof asn1.Sequence) || !(bits instanceof asn1.BitString)) return null;
  const signed = Buffer.from(tbs.valueBeforeDecodeView);
  const signature = Buffer.from(bits.valueBlock.valueHexView);
  if (!verifySignature('sha384', signed, root.publicKey, signature)) return null;
  const [, , , thisUpdate, nextUpdate] = tbs.valueBlock.value;
  // GeneralizedTime extends UTCTime there.
  const isDated = thisUpdate instanceof asn1.UTCTime && nextUpdate instanceof asn1.UTCTime;
  return isDated ? { thisUpdate: thisUpdate.toDate(), nextUpdate: nextUpdate.toDate() } : null;
}

/** Until when the list of a root holds; null where there is none. */
export function rootListEndsAt({
  root: { crl, certificate },
}: {
  readonly root: { readonly crl: Uint8Array | null; readonly certificate: X509Certificate };
}): Date | null {
  return (crl && readRootCrl(crl, certificate)?.nextUpdate) ?? null;
}

/** A CRL is read once, however many ask: it stays as long as the process that loaded it. */
const serialsRead = new WeakMap<Uint8Array, ReadonlySet<bigint>>();

/**
 * Whether a CRL lists a certificate (RFC 5280 §5.1.2.6). The CRL was verified when it was loaded.
 */
export function isListed(
  crl: Uint8Array,
  certificate: Pick<X509Certificate, 'serialNumber'>,
): boolean {
  const serials = serialsRead.get(crl) ?? serialsIn(crl);
  serialsRead.set(crl, serials);
  return serials.size > 0 && serials.has(BigInt(`0x${certificate.serialNumber}`));
}

function serialsIn(crl: Uint8Array): ReadonlySet<bigint> {
  const { result } = asn1.fromBER(crl);
  const [tbs] = result instanceof asn1.Sequence ? result.valueBlock.value : [];
  const [, , , , , entries] = tbs instanceof asn1.Sequence ? tbs.valueBlock.value : [];
  // With nothing revoked the list is left out, and the extensions stand in its place.
  if (!(entries instanceof asn1.Sequence)) return new Set();
  const numbers = entries.valueBlock.value.map((entry) => {
    const [number] = entry instanceof asn1.Sequence ? entry.valueBlock.value : [];
    return number instanceof asn1.Integer ? [number.toBigInt()] : [];
  });
  return new Set(numbers.flat());
}
