import type { Signer } from '../certificates/signer.ts';
import { algorithm, oids, signCms } from './cms.ts';
import * as der from '../certificates/der.ts';

/** Our own time-stamping policy (an arc for private use). */
export const timestampPolicy = '1.3.6.1.4.1.58969.1.1';

export interface TimestampAuthority {
  /** A time-stamp token (RFC 3161 §2.4.2) over a SHA-256 imprint, DER. */
  stamp(imprint: Uint8Array): Promise<Buffer>;
}

/** The platform's own time-stamping authority, inside the process. */
export function createTimestampAuthority(
  signer: Signer,
  clock: () => Date,
  randomBytes: (size: number) => Uint8Array,
): TimestampAuthority {
  return {
    stamp: (imprint) => {
      const serial = Buffer.from(randomBytes(16));
      serial[0] = ((serial[0] ?? 0) & 0x7f) | 0x40;
      const info = der.sequence(
        der.integer(1),
        der.oid(timestampPolicy),
        der.sequence(algorithm(oids.sha256), der.octets(imprint)),
        der.integer(serial),
        der.generalizedTime(clock()),
      );
      return signCms({ signer, content: info, contentType: oids.tstInfo, isDetached: false });
    },
  };
}
