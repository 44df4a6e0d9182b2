import { X509Certificate } from 'node:crypto';
import type { Queryable } from '../../db/client.ts';
import { findHeldCertificate, type HeldCertificateRow } from '../../db/queries/certificates.ts';
import { isListed } from '../../domain/pki/revocation/root-crl.ts';
import { factsOf, isIssuedBy, openCertificate } from '../../domain/pki/x509/certificate-facts.ts';
import { mayCertify, purposes } from '../../domain/pki/x509/profile.ts';
import { assertRule } from '../../domain/tokens/bundle-refused.ts';
import { isSignedBy, type ParsedJws } from '../../domain/tokens/jws.ts';
import { peopleIssuerOf } from '../keys/certificates/people-issuer.ts';
import type { PlatformKeys } from '../keys/directory/load-keys.ts';

/** The holder of a bundle's key, with the certificate that we have stored. */
export interface Holder {
  readonly polyUserId: string;
  readonly kid: string;
  readonly certificate: X509Certificate;
  readonly row: HeldCertificateRow;
}

type ChainKeys = Pick<PlatformKeys, 'root' | 'peopleCa' | 'retired' | 'nextCas'>;

const subjectForm = /^[A-Za-z0-9_-]{1,64}$/;
const kidForm = /^[A-Za-z0-9_-]{43}$/;

/**
 * Finds the key by its id among the subject's current keys only. Keys of other users, and expired
 * or revoked ones (those of `include=all`), are not found.
 */
export async function findHolder(
  on: Queryable,
  { header, claims }: ParsedJws,
  now: Date,
): Promise<Holder> {
  const { kid } = header;
  const { sub } = claims;
  assertRule('kid', typeof kid === 'string' && kidForm.test(kid));
  assertRule('kid', typeof sub === 'string' && subjectForm.test(sub));
  const row = await findHeldCertificate(on, sub, kid, now);
  assertRule('kid', row !== null);
  return { polyUserId: sub, kid, certificate: openCertificate(row.der), row };
}

/** RFC 7515 §5.2, with the stored key. Keys in the header are not used. */
export async function checkSignature(jws: ParsedJws, { certificate }: Holder): Promise<void> {
  assertRule('signature', await isSignedBy(jws, certificate.publicKey));
}

/**
 * Checks the path of RFC 5280 §6.1: leaf, people CA (current, retired or next) and our root, all
 * within their validity. A CA of another purpose cannot certify people.
 */
export function checkChain(keys: ChainKeys, jws: ParsedJws, holder: Holder, now: Date): void {
  const { certificate } = holder;
  const issuer = peopleIssuerOf(keys, holder.row.issuer_kid);
  const root = keys.root.certificate;
  const { isCa, kid } = factsOf(certificate);
  assertRule('chain', issuer !== null && factsOf(issuer).isCa && !isCa);
  assertRule('chain', mayCertify(issuer, purposes.clientAuth));
  assertRule('chain', isIssuedBy(certificate, issuer) && isIssuedBy(issuer, root));
  assertRule(
    'chain',
    [certificate, issuer, root].every((one) => isCurrentAt(one, now)),
  );
  // Node's type is string[], but it is undefined for a certificate without the extension.
  const usages: readonly string[] | undefined = certificate.keyUsage;
  assertRule('chain', (usages ?? []).join() === purposes.clientAuth);
  assertRule('chain', kid === holder.kid);
  assertRule('chain', certificate.subject === `CN=${holder.polyUserId}`);
  assertRule('chain', isHeaderTrue(jws, holder));
}

/**
 * Checks that neither the CA, by the root's CRL, nor the device of the key is revoked. `findHolder`
 * has checked the leaf: the people CA's CRL is made from the same rows.
 */
export function checkRevocation(keys: ChainKeys, holder: Holder): void {
  const { crl } = keys.root;
  const issuer = peopleIssuerOf(keys, holder.row.issuer_kid);
  assertRule('revocation', !(crl && issuer && isListed(crl, issuer)));
  assertRule('revocation', holder.row.device_revoked_at === null);
}

function isCurrentAt({ validFromDate, validToDate }: X509Certificate, at: Date): boolean {
  return validFromDate <= at && at < validToDate;
}

/** Whether certificates in the header, if any, match the key. They are not used otherwise. */
function isHeaderTrue({ header }: ParsedJws, { kid, certificate }: Holder): boolean {
  const { x5c, 'x5t#S256': thumbprint } = header;
  const first = x5c === undefined ? certificate : certificateIn(x5c, kid, certificate);
  return first !== null && (thumbprint === undefined || thumbprint === factsOf(first).sha256);
}

/**
 * Returns the first certificate of an `x5c` (RFC 7515 §4.1.6) if it is one of this key, or else
 * null. It is mostly the stored one, which is parsed already.
 */
function certificateIn(x5c: unknown, kid: string, stored: X509Certificate): X509Certificate | null {
  const isList = Array.isArray(x5c) && x5c.every((one) => typeof one === 'string');
  const first: unknown = isList ? x5c[0] : undefined;
  if (typeof first !== 'string') return null;
  if (first === factsOf(stored).base64) return stored;
  try {
    const certificate = new X509Certificate(Buffer.from(first, 'base64'));
    const facts = factsOf(certificate);
    return facts.base64 === first && facts.kid === kid ? certificate : null;
  } catch {
    return null;
  }
}
