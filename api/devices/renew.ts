import { peopleIssuerOf } from '../../activities/keys/certificates/people-issuer.ts';
import {
  recordUserCertificate,
  type UserCertificate,
} from '../../activities/keys/certificates/record-user-certificate.ts';
import { transaction } from '../../db/client.ts';
import { findCurrentCertificate, listUserCertificates } from '../../db/queries/certificates.ts';
import { findDevice, type DeviceRow } from '../../db/queries/devices.ts';
import { pemOf } from '../../domain/pki/x509/certificate.ts';
import { Failure } from '../../workflows/failures.ts';
import type { Deps } from '../deps.ts';
import { handler } from '../http/contract.ts';
import { certifyUser, type SigningDeps } from '../signing.ts';
import { deviceContracts } from './contract.ts';

type RenewDeps = Pick<Deps, 'db' | 'keys'> & SigningDeps;

/** Issues a new certificate for the signing key of the attesting device. */
export const renew = handler(deviceContracts.renew)(async (input, deps: RenewDeps) => {
  const { device_id: deviceId } = input.path;
  const device = input.attested.deviceId === deviceId && (await findDevice(deps.db, deviceId));
  if (!device) throw new Failure('not_found');
  const certificates = await listUserCertificates(deps.db, device.poly_user_id);
  const last = certificates.find(({ kid }) => kid === device.signing_kid);
  if (!last) throw new Failure('not_found');
  const { poly_user_id: polyUserId } = device;
  const signed = await certifyUser(deps, polyUserId, last.public_jwk);
  const certificate = await transaction(deps.db, (tx) =>
    recordUserCertificate(tx, signed, { polyUserId, deviceId }),
  );
  return { status: 201, body: enrolledOf(device, certificate) };
});

/** Returns the response of an enrollment. */
export function enrolledOf(
  device: DeviceRow,
  { chain, notAfter }: Pick<UserCertificate, 'chain' | 'notAfter'>,
) {
  return {
    device_id: device.device_id,
    poly_user_id: device.poly_user_id,
    certificate_chain: [...chain],
    expires_at: notAfter.toISOString(),
  };
}

/**
 * Returns the response of an earlier enrollment.
 * @throws Failure `not_found` after its revocation
 */
export async function certificateOf(
  deps: Pick<Deps, 'db' | 'keys'>,
  device: DeviceRow,
  now: Date,
): Promise<ReturnType<typeof enrolledOf>> {
  const { poly_user_id, signing_kid } = device;
  const row = await findCurrentCertificate(deps.db, poly_user_id, signing_kid, now);
  if (!row) throw new Failure('not_found');
  const issuer = peopleIssuerOf(deps.keys, row.issuer_kid);
  if (!issuer) throw new Failure('not_found');
  const chain = [row.der, issuer.raw].map((der) => pemOf(der));
  return enrolledOf(device, { chain, notAfter: row.not_after });
}
