import type { X509Certificate } from 'node:crypto';
import type { PlatformKeys } from '../../../activities/keys/directory/load-keys.ts';
import type { RevokedCertificate } from '../../../domain/pki/revocation/revocation-fields.ts';
import { signCrl } from '../../../domain/pki/revocation/sign-crl.ts';

const dayMs = 24 * 3600_000;
const begunMs = Date.now();
const fromNow = (ms: number): Date => new Date(begunMs + ms);

interface ListOptions {
  readonly from?: Date;
  readonly until?: Date;
  readonly revoked?: X509Certificate;
  /** How it was, where not for a theft a minute ago. */
  readonly entry?: Partial<RevokedCertificate>;
}

/** The CRL of the services CA, as it is or otherwise. */
export function listOf(
  of: PlatformKeys,
  { from, until, revoked, entry }: ListOptions = {},
): Promise<Buffer> {
  return signCrl({
    issuer: of.servicesCa,
    number: 1,
    thisUpdate: from ?? fromNow(-300_000),
    nextUpdate: until ?? fromNow(7 * dayMs),
    revoked: revoked
      ? [
          {
            serial: revoked.serialNumber,
            kind: 'services',
            revoked_at: fromNow(-60_000),
            revocation_reason: 'compromised',
            invalidity_date: null,
            ...entry,
          },
        ]
      : [],
  });
}

export function rootListOf({ root }: PlatformKeys): Buffer {
  if (!root.crl) throw new Error('the root has a CRL');
  return root.crl;
}

/** The lists of today of both CAs above seal and time stamp. */
export const listsOfToday = async (keys: PlatformKeys): Promise<Buffer[]> => [
  await listOf(keys),
  rootListOf(keys),
];

/** Where the last `/Prev` of a file leads. */
export const prevOf = (whole: Buffer): number => {
  const text = whole.toString('latin1');
  return Number.parseInt(text.slice(text.lastIndexOf('/Prev ') + '/Prev '.length), 10);
};
