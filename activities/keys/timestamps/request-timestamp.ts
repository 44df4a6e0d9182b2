import type { X509Certificate } from 'node:crypto';
import { algorithm, oids } from '../../../domain/pki/cms/write-cms.ts';
import { judgeReply, type OutsideToken } from '../../../domain/pki/timestamps/reply.ts';
import * as der from '../../../domain/pki/write-der.ts';
import { deadline } from '../../runtime/cancellation.ts';
import { readBounded } from '../../vendors/published-lists.ts';

/** A configured outside time-stamping authority. */
export interface Authority {
  readonly url: string;
  readonly roots: readonly X509Certificate[];
  readonly timeoutMs: number;
  /** The policy that its time stamps must name; null for any. */
  readonly policy: string | null;
  /** `user:password` (RFC 7617); null without authentication. */
  readonly credentials: string | null;
}

/** Limit with certificates. A seal has room for less, so a longer token is useless. */
export const replyBytesMax = 16 * 1024;
const nonceBytes = 16;

/**
 * Requests a time stamp over a SHA-256 imprint with a nonce of 128 bits (RFC 3161 §2.4, over HTTP
 * as in §3.4). Validates the reply.
 * @throws ReplyRefused for an invalid reply
 * @throws Error when there is no reply in time, or another response than a reply
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

/** Clears the sign and sets the next bit, so that the DER integer is unambiguous (X.690 §8.3). */
function positive(bytes: Uint8Array): Uint8Array {
  const first = ((bytes[0] ?? 0) & 0x7f) | 0x40;
  return Buffer.concat([Buffer.of(first), bytes.subarray(1)]);
}
