import { createHash } from 'node:crypto';
import {
  readCms,
  readOctets,
  readTimestampInfo,
  unsignedTypes,
  type ReadCms,
} from '../cms/read-cms.ts';
import { oids } from '../cms/write-cms.ts';
import { isForStampsAlone } from '../x509/is-for-stamps.ts';

/** A valid time stamp, before its chain is judged. */
export interface GoodToken {
  readonly token: ReadCms;
  readonly at: Date;
}

/**
 * Judges a time stamp over a SHA-256 imprint (RFC 3161 §2.4.2) by a certificate for time stamps
 * only. Returns its fault if it has one. Throws for bytes that are no time stamp.
 */
export function judgeToken(
  bytes: Buffer,
  imprint: Buffer,
): GoodToken | { readonly fault: 'timestamp' | 'hidden_bytes' } {
  const token = readCms(bytes);
  if (token.contentType !== oids.tstInfo || !token.content) return { fault: 'timestamp' };
  if (!token.isInForm || !holdsOnly(token, unsignedTypes.timestamp)) {
    return { fault: 'hidden_bytes' };
  }
  const digest = createHash(token.hash).update(token.content).digest();
  if (!readOctets(token.attributes.get(oids.messageDigest)).equals(digest)) {
    return { fault: 'timestamp' };
  }
  const info = readTimestampInfo(token.content);
  if (!token.isSigned || !info.imprint.equals(imprint) || !isForStampsAlone(token.signer)) {
    return { fault: 'timestamp' };
  }
  return { token, at: info.at };
}

/**
 * Whether all unsigned attributes are of these types. Each has its own rule for whether it must be
 * there.
 */
export const holdsOnly = ({ unsigned }: ReadCms, types: readonly string[]): boolean =>
  [...unsigned.keys()].every((type) => types.includes(type));
