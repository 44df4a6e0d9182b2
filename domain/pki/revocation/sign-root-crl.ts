import * as asn1 from 'asn1js';
import type { IssuingSigner } from '../x509/key-signer.ts';
import type { RevokedCertificate } from './revocation-fields.ts';
import { signCrl } from './sign-crl.ts';

/** Long, because the root key is meant to be offline and signs rarely. */
const rootCrlLifeMs = 180 * 24 * 3600_000;
const backdatedMs = 5 * 60_000;
const crlNumber = '2.5.29.20';

/**
 * Signs the root's CRL, valid for 180 days. It lists the revoked CAs. Its number is the current
 * time in seconds, or the previous number plus one if that is larger. So it increases without a
 * database (RFC 5280 §5.2.3), even within one second or after a clock was set back.
 * @param before the CRL that it replaces, DER
 */
export async function signRootCrl(
  root: IssuingSigner,
  now: Date,
  revoked: readonly RevokedCertificate[],
  before: Uint8Array | null,
): Promise<Buffer> {
  return signCrl({
    issuer: root,
    number: Math.max(Math.floor(now.getTime() / 1000), before ? rootCrlNumberOf(before) + 1 : 0),
    thisUpdate: new Date(now.getTime() - backdatedMs),
    nextUpdate: new Date(now.getTime() + rootCrlLifeMs),
    revoked,
  });
}

/** Returns the CRLNumber of a CRL (RFC 5280 §5.2.3); 0 if the bytes are no CRL or have none. */
export function rootCrlNumberOf(crl: Uint8Array): number {
  const { result } = asn1.fromBER(crl);
  const [tbs] = result instanceof asn1.Sequence ? result.valueBlock.value : [];
  const last = tbs instanceof asn1.Sequence ? tbs.valueBlock.value.at(-1) : undefined;
  const [extensions] = last instanceof asn1.Constructed ? last.valueBlock.value : [];
  const found = extensions instanceof asn1.Sequence ? extensions.valueBlock.value : [];
  for (const extension of found) {
    const [name, content] = extension instanceof asn1.Sequence ? extension.valueBlock.value : [];
    const isNumber = name instanceof asn1.ObjectIdentifier && name.getValue() === crlNumber;
    if (!isNumber || !(content instanceof asn1.OctetString)) continue;
    const { result: number } = asn1.fromBER(content.valueBlock.valueHexView);
    if (number instanceof asn1.Integer) return Number(number.toBigInt());
  }
  return 0;
}
