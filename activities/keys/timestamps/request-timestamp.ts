import type { X509Certificate } from 'node:crypto';
import { algorithm, oids } from '../../../domain/pki/cms/write-cms.ts';
import { judgeReply, type OutsideToken } from '../../../domain/pki/timestamps/reply.ts';
import * as der from '../../../domain/pki/write-der.ts';
import { deadline } from '../../runtime/cancellation.ts';
import { readBounded } from '../../vendors/published-lists.ts';

/** A time-stamping authority outside, as it is set. */
export interface Authority {
  readonly url: string;
  readonly roots: readonly X509Certificate[];
  readonly timeoutMs: number;
  /** The policy its stamps have to be under; null for any. */
  readonly policy: string | null;
  /** `user:password` (RFC 7617); null where it asks for none. */
  readonly credentials: string | null;
}

/** Certificates and all: a seal has place for less, and what is longer is no token of use. */
export const replyBytesMax = 16 * 1024;
const nonceBytes = 16;

/**
 * Asks an authority for a time stamp over a SHA-256 imprint (RFC 3161 §2.4, over HTTP as in §3.4),
 * with a nonce of 128 bits, and judges what it says before anybody uses it.
 * @throws ReplyRefused for what is not good
 * @throws for whoever does not answer in its time, or answers with anything else than a reply
 */
export async function requestTimestamp(
  authority: Authority,
  imprint: Buffer,
  by: { readonly clock: () => Date; readonly randomBytes: (size: number) => Uint8Array },
): Promise<OutsideToken> {
  const { url, roots, policy, credentials, timeoutMs } = authority;
  const nonce = der.integer(positive(by.randomBytes(nonceBytes)));
  const query = der.sequence(
    der.integer(1),
    der.sequence(algorithm(oids.sha256), der.octets(imprint)),
    ...(policy === null ? [] : [der.oid(policy)]),
    nonce,
    der.tlv(1, Buffer.of(0xff)),
  );
  const basic = credentials && Buffer.from(credentials).toString('base64');
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/timestamp-query',
      accept: 'application/timestamp-reply',
      ...(basic ? { authorization: `Basic ${basic}` } : {}),
    },
    body: new Uint8Array(query),
    redirect: 'error',
    signal: deadline(timeoutMs),
  });
  const type = response.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase();
  if (response.status !== 200 || type !== 'application/timestamp-reply') {
    await response.body?.cancel();
    throw new Error(`no time-stamp reply: status ${response.status}`);
  }
  const bytes = await readBounded(response, replyBytesMax);
  return judgeReply(bytes, { imprint, nonce, policy, roots, now: by.clock() });
}

/** Without a zero or a sign in front: one DER integer and no other (X.690 §8.3). */
function positive(bytes: Uint8Array): Uint8Array {
  const first = ((bytes[0] ?? 0) & 0x7f) | 0x40;
  return Buffer.concat([Buffer.of(first), bytes.subarray(1)]);
}
