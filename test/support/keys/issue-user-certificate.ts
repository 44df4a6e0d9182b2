import { X509Certificate } from 'node:crypto';
import {
  recordUserCertificate,
  type UserCertificate,
} from '../../../activities/keys/certificates/record-user-certificate.ts';
import {
  signUserCertificate,
  type UserCertificateRequest,
} from '../../../activities/keys/certificates/sign-user-certificate.ts';
import type { PlatformSigner } from '../../../activities/keys/directory/load-keys.ts';
import { transaction, type Db } from '../../../db/client.ts';

/** Signs a certificate as a worker does, and stores it as the API does. */
export async function issueUserCertificate(
  { on, ...ca }: { on: Db; peopleCa: PlatformSigner; baseUrl: string },
  request: UserCertificateRequest & { readonly deviceId: string | null },
): Promise<UserCertificate> {
  const certificate = new X509Certificate(await signUserCertificate(ca, request));
  return transaction(on, (tx) =>
    recordUserCertificate(tx, { certificate, issuer: ca.peopleCa }, request),
  );
}
