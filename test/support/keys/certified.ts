import { generateKeyPairSync, randomBytes } from 'node:crypto';
import type { UserCertificate } from '../../../activities/keys/certificates/record-user-certificate.ts';
import type { Db } from '../../../db/client.ts';
import { randomIds } from '../../../db/ids.ts';
import { addUser } from '../../../db/queries/seeding.ts';
import { publicJwkOf } from '../../../domain/pki/x509/thumbprint.ts';
import { ownPlatform } from '../platform/own-platform.ts';
import { platformKeys } from './bundles.ts';
import { issueUserCertificate } from './issue-user-certificate.ts';

/**
 * Issues a certificate for a new PolyUser without a device, from the platform's people CA by
 * default.
 */
export async function newCertificate(
  db: Db,
  peopleCa = platformKeys().peopleCa,
): Promise<UserCertificate> {
  const user = randomIds.make('pu');
  const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  await addUser(db, [user, 'cert', new Date()]);
  return issueUserCertificate(
    { on: db, peopleCa, baseUrl: ownPlatform().baseUrl },
    {
      polyUserId: user,
      deviceId: null,
      publicKey: publicJwkOf(publicKey),
      now: new Date(),
      random: randomBytes,
    },
  );
}
