import type { Queryable } from '../../../db/client.ts';
import { keepTimestamp } from '../../../db/queries/timestamps.ts';
import {
  failures,
  readQuery,
  type TimestampFailure,
} from '../../../domain/pki/timestamps/query.ts';
import { signToken, timestampPolicy } from '../../../domain/pki/timestamps/sign-token.ts';
import * as der from '../../../domain/pki/write-der.ts';
import { newSerial } from '../../../domain/pki/x509/serial.ts';
import type { PlatformSigner } from '../directory/load-keys.ts';

const statuses = { granted: 0, rejection: 2 } as const;
/** Accuracy of one second: times have whole seconds, and NTP keeps the clock. */
const accuracy = der.sequence(der.integer(1));

export interface TimestampDeps {
  readonly db: Queryable;
  readonly tsa: PlatformSigner;
  readonly clock: () => Date;
  readonly randomBytes: (size: number) => Uint8Array;
}

/**
 * Answers a time-stamp query (RFC 3161 §2.4.2), also a malformed one, with a token or a rejection.
 * The serial is stored before the token is signed, so that it is never reused. A certificate that
 * is revoked or not valid now stamps nothing.
 * @returns TimeStampResp, DER
 */
export async function answerQuery(deps: TimestampDeps, bytes: Uint8Array): Promise<Buffer> {
  const query = readQuery(bytes, timestampPolicy);
  if (typeof query === 'string') return refuse(query);
  const { certificate } = deps.tsa;
  const [at, serial] = [deps.clock(), newSerial(deps.randomBytes)];
  const isValid = certificate.validFromDate <= at && at < certificate.validToDate;
  const entry = { serial: serial.toString('hex'), imprint: query.imprint, at };
  const tsaSerial = certificate.serialNumber.toLowerCase();
  if (!isValid || !(await keepTimestamp(deps.db, tsaSerial, entry))) return refuse('systemFailure');
  const token = await signToken(deps.tsa, {
    messageImprint: query.messageImprint,
    serial,
    at,
    more: [accuracy, ...(query.nonce ? [query.nonce] : [])],
    isBare: !query.hasCertificates,
  });
  return der.sequence(der.sequence(der.integer(statuses.granted)), token);
}

/**
 * Returns the rejection of a query that no authority here would stamp.
 * @returns TimeStampResp, DER; null for a query that can be stamped
 */
export function refusalOf(bytes: Uint8Array): Buffer | null {
  const query = readQuery(bytes, timestampPolicy);
  return typeof query === 'string' ? refuse(query) : null;
}

/**
 * Returns a PKIStatusInfo with only the failure, as a named bit (X.690 §11.2.2: no trailing zeros).
 */
function refuse(failure: TimestampFailure): Buffer {
  const bit = failures[failure];
  const bits = Buffer.alloc(2 + Math.floor(bit / 8));
  bits[0] = 7 - (bit % 8);
  bits[bits.length - 1] = 0x80 >> (bit % 8);
  const failInfo = der.tlv(0x03, bits);
  return der.sequence(der.sequence(der.integer(statuses.rejection), failInfo));
}
