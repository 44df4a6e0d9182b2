import 'reflect-metadata';
import * as x509 from '@peculiar/x509';
import * as der from '../write-der.ts';
import type { IssuingSigner } from '../x509/key-signer.ts';
import {
  algorithms,
  invalidityDateOf,
  reasonCodeOf,
  type RevokedCertificate,
} from './revocation-fields.ts';

const oids = {
  crlNumber: '2.5.29.20',
  reasonCode: '2.5.29.21',
  authorityKeyId: '2.5.29.35',
  expiredCertsOnCrl: '2.5.29.60',
} as const;

export interface CrlRequest {
  /** The CA; its chain begins with its own certificate. */
  readonly issuer: IssuingSigner;
  /** Increases with every CRL of the CA. */
  readonly number: number;
  readonly thisUpdate: Date;
  readonly nextUpdate: Date;
  readonly revoked: readonly RevokedCertificate[];
}

/**
 * Signs a version 2 CRL (RFC 5280 §5.1) with CRLNumber and AKI. It keeps expired certificates and
 * says so (expiredCertsOnCRL, ITU-T X.509 §9.5.2.8): an archive is judged years later.
 * @returns DER
 * @throws TypeError if the issuer has no certificate, or no elliptic curve key
 */
export async function signCrl(request: CrlRequest): Promise<Buffer> {
  const { issuer, thisUpdate, nextUpdate, revoked } = request;
  const [issuerDer] = issuer.certificateChain;
  if (!issuerDer || issuer.algorithm === 'RS256')
    throw new TypeError('the issuer is no CA of ours');
  const authority = new x509.X509Certificate(Buffer.from(issuerDer));
  const algorithm = der.sequence(der.oid(algorithms[issuer.algorithm]));
  const tbs = der.sequence(
    der.integer(1),
    algorithm,
    Buffer.from(authority.subjectName.toArrayBuffer()),
    der.time(thisUpdate),
    der.time(nextUpdate),
    ...(revoked.length > 0 ? [der.sequence(...revoked.map(entryOf))] : []),
    der.context(0, der.sequence(...extensionsOf(request, authority))),
  );
  return der.sequence(tbs, algorithm, der.bits(await issuer.sign(tbs)));
}

/** Extensions of the CRL (RFC 5280 §5.2.1, §5.2.3), none of them critical. */
function extensionsOf({ number }: CrlRequest, authority: x509.X509Certificate): Buffer[] {
  const keyId = authority.getExtension(x509.SubjectKeyIdentifierExtension)?.keyId;
  if (!keyId) throw new TypeError('the issuer has no subject key identifier');
  const keyIdField = der.tlv(0x80, Buffer.from(keyId, 'hex'));
  return [
    der.extension(oids.authorityKeyId, der.sequence(keyIdField)),
    der.extension(oids.crlNumber, der.integer(number)),
    der.extension(oids.expiredCertsOnCrl, der.generalizedTime(authority.notBefore)),
  ];
}

function entryOf(row: RevokedCertificate): Buffer {
  const code = reasonCodeOf(row);
  const extensions = [
    ...(code === null ? [] : [der.extension(oids.reasonCode, der.enumerated(code))]),
    ...invalidityDateOf(row),
  ];
  return der.sequence(
    der.integer(Buffer.from(row.serial, 'hex')),
    der.time(row.revoked_at),
    ...(extensions.length > 0 ? [der.sequence(...extensions)] : []),
  );
}
