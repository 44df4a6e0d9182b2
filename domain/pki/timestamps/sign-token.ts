import { algorithm, oids, signCms } from '../cms/write-cms.ts';
import type { Signer } from '../signer.ts';
import * as der from '../write-der.ts';
import { newSerial } from '../x509/serial.ts';

/** A time stamp to be stored before it is signed. */
export interface NewTimestamp {
  /** Hex. */
  readonly serial: string;
  readonly imprint: Uint8Array;
  readonly at: Date;
}

/** Our own time-stamping policy (an arc for private use). */
export const timestampPolicy = '1.3.6.1.4.1.58969.1.1';

/** The fields of a token (TSTInfo, RFC 3161 §2.4.2), each as DER. */
export interface TokenParts {
  readonly messageImprint: Uint8Array;
  readonly serial: Uint8Array;
  readonly at: Date;
  /** Accuracy and nonce, if present, in the order of the structure. */
  readonly more?: readonly Uint8Array[];
  /** Whether to omit the certificates. */
  readonly isBare?: boolean;
}

/** Signs a time-stamp token under our policy: a SignedData over its TSTInfo, DER. */
export function signToken(signer: Signer, parts: TokenParts): Promise<Buffer> {
  const info = der.sequence(
    der.integer(1),
    der.oid(timestampPolicy),
    parts.messageImprint,
    der.integer(parts.serial),
    der.generalizedTime(parts.at),
    ...(parts.more ?? []),
  );
  const { isBare = false } = parts;
  return signCms({ signer, content: info, contentType: oids.tstInfo, isDetached: false, isBare });
}

export interface TimestampAuthority {
  /** Returns a time-stamp token (RFC 3161 §2.4.2) over a SHA-256 imprint, DER. */
  stamp(imprint: Uint8Array): Promise<Buffer>;
}

/** Provides the time stamp of a seal; null if no authority returns one. */
export interface Stamper {
  stamp(imprint: Uint8Array): Promise<Buffer | null>;
}

/** The platform's own time-stamping authority, inside the process. */
export function createTimestampAuthority(
  signer: Signer,
  clock: () => Date,
  randomBytes: (size: number) => Uint8Array,
  /** Receives each stamp before it is signed; may refuse it by throwing. */
  keep: (stamp: NewTimestamp) => Promise<void> = async () => undefined,
): TimestampAuthority {
  return {
    async stamp(imprint) {
      const [serial, at] = [newSerial(randomBytes), clock()];
      await keep({ serial: serial.toString('hex'), imprint, at });
      const messageImprint = der.sequence(algorithm(oids.sha256), der.octets(imprint));
      return signToken(signer, { messageImprint, serial, at });
    },
  };
}
