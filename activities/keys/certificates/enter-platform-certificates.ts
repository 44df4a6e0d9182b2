import type { Queryable } from '../../../db/client.ts';
import { enterServiceCertificate } from '../../../db/queries/certificates.ts';
import { publicJwkOf } from '../../../domain/pki/x509/thumbprint.ts';
import type { PlatformKeys } from '../directory/load-keys.ts';

/**
 * Inserts the seal, time-stamping and token certificates into the table from which the services
 * CA's CRL is made. They were issued with the key directory. Can be repeated.
 */
export async function enterPlatformCertificates(on: Queryable, keys: PlatformKeys): Promise<void> {
  for (const { certificate, kid } of [keys.seal, keys.tsa, keys.tokens]) {
    await enterServiceCertificate(
      on,
      {
        serial: certificate.serialNumber.toLowerCase(),
        issuer_kid: keys.servicesCa.kid,
        kid,
        public_jwk: publicJwkOf(certificate.publicKey),
        not_before: certificate.validFromDate,
        not_after: certificate.validToDate,
      },
      certificate.raw,
    );
  }
}
