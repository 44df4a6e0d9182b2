import { createHash, X509Certificate } from 'node:crypto';
import { childrenOf, readElement, tags } from '../read-der.ts';
import * as der from '../write-der.ts';
import { readFields } from '../x509/certificate.ts';
import type { IssuingSigner } from '../x509/key-signer.ts';
import {
  algorithms,
  invalidityDateOf,
  reasonCodeOf,
  type RevokedCertificate,
} from './revocation-fields.ts';

const oids = {
  basic: '1.3.6.1.5.5.7.48.1.1',
  nonce: '1.3.6.1.5.5.7.48.1.2',
  archiveCutoff: '1.3.6.1.5.5.7.48.1.6',
} as const;

/** Reasons for an error response (OCSPResponseStatus, RFC 6960 §4.2.1). */
const refusals = { malformedRequest: 1, unauthorized: 6 } as const;

/** The state of one certificate; `issued` is null if its CA never issued it. */
export interface CertificateState {
  /** The CertID of the request. */
  readonly certId: Uint8Array;
  readonly issued: { readonly revocation: Revocation | null; readonly notBefore: Date } | null;
}

type Revocation = Omit<RevokedCertificate, 'serial'>;

export interface OcspAnswer {
  /** The delegated responder; its chain begins with its own certificate. */
  readonly responder: IssuingSigner;
  /** The value of the request's nonce extension, returned unchanged; null if absent. */
  readonly nonce: Uint8Array | null;
  readonly producedAt: Date;
  readonly singles: Uint8Array;
}

/** Returns an error response, which contains only the reason and is not signed. */
export function refuseOcsp(why: keyof typeof refusals): Buffer {
  return der.sequence(der.enumerated(refusals[why]));
}

/**
 * Returns SingleResponses (RFC 6960 §4.2.1), one per certificate in the order of the request. Each
 * has an archive cutoff (§4.4.4) with the date since when the CA's certificates are answered for:
 * an archive is judged years later.
 */
export function singlesOf(
  states: readonly CertificateState[],
  authority: X509Certificate,
  window: { readonly thisUpdate: Date; readonly nextUpdate: Date },
): Buffer {
  const cutoff = der.generalizedTime(authority.validFromDate);
  const singles = states.map(({ certId, issued }) => {
    const since = [window.thisUpdate, issued?.notBefore, issued?.revocation?.revoked_at];
    const thisUpdateMs = Math.max(...since.map((date) => date?.getTime() ?? 0));
    const invalidity = issued?.revocation ? invalidityDateOf(issued.revocation) : [];
    return der.sequence(
      certId,
      statusOf(issued),
      der.generalizedTime(new Date(thisUpdateMs)),
      der.context(0, der.generalizedTime(window.nextUpdate)),
      der.context(1, der.sequence(der.extension(oids.archiveCutoff, cutoff), ...invalidity)),
    );
  });
  return der.sequence(...singles);
}

function statusOf(issued: CertificateState['issued']): Buffer {
  if (!issued) return der.tlv(0x82);
  const { revocation } = issued;
  if (!revocation) return der.tlv(0x80);
  const code = reasonCodeOf(revocation);
  const reason = code === null ? [] : [der.context(0, der.enumerated(code))];
  return der.context(1, der.generalizedTime(revocation.revoked_at), ...reason);
}

/** Signs a BasicOCSPResponse in its OCSPResponse (RFC 6960 §4.2.1); the key names the responder. */
export async function signOcsp(answer: OcspAnswer): Promise<Buffer> {
  const { responder, nonce, producedAt, singles } = answer;
  const [certificate] = responder.certificateChain;
  if (!certificate || responder.algorithm === 'RS256') {
    throw new TypeError('the responder is none of ours');
  }
  const { keyHash } = issuerHashes(new X509Certificate(certificate), 'sha1');
  const data = der.sequence(
    der.context(2, der.octets(keyHash)),
    der.generalizedTime(producedAt),
    singles,
    ...(nonce ? [der.context(1, der.sequence(der.extension(oids.nonce, nonce)))] : []),
  );
  const basic = der.sequence(
    data,
    der.sequence(der.oid(algorithms[responder.algorithm])),
    der.bits(await responder.sign(data)),
    der.context(0, der.sequence(certificate)),
  );
  const bytes = der.sequence(der.oid(oids.basic), der.octets(basic));
  return der.sequence(der.enumerated(0), der.context(0, bytes));
}

/**
 * Returns the hashes that name a CA in a CertID (RFC 6960 §4.1.1): of its name, and of its key
 * without tag and length.
 */
export function issuerHashes(
  authority: X509Certificate,
  hash: 'sha1' | 'sha256',
): { readonly nameHash: Buffer; readonly keyHash: Buffer } {
  const { subjectName, spki } = readFields(authority.raw);
  const [, bits] = childrenOf(readElement(spki, tags.sequence).contents);
  if (!bits) throw new TypeError('the CA has no key');
  const digest = (bytes: Uint8Array): Buffer => createHash(hash).update(bytes).digest();
  return { nameHash: digest(subjectName.whole), keyHash: digest(bits.contents.subarray(1)) };
}
