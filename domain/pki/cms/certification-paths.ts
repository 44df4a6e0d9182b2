import type { X509Certificate } from 'node:crypto';
import {
  dateFaultOf,
  issueFaultOf,
  pathLengthOf,
  readCertificate,
  unknownCriticalOf,
  type Certificate,
} from '../x509/certificate.ts';
import { basicConstraintsOf, extensionOids, keyUsageOf, keyUsages } from '../x509/extensions.ts';
import { isCertifiedBy } from '../x509/is-certified-by.ts';
import { mayCertify } from '../x509/profile.ts';
import type { ReadCms } from './read-cms.ts';

/** Certificates per CMS; ours have two. */
const certificatesMax = 8;
/** CAs between a signer and its root. */
const authoritiesMax = 3;

const signingUsages = keyUsages.digitalSignature | keyUsages.nonRepudiation;

export type PathFault =
  | { readonly fault: 'chain' }
  | { readonly fault: 'certificate_purpose' }
  | { readonly fault: 'root_not_trusted'; readonly isUnknown: true };

/** Purpose of a signature and the time when it was made. */
export interface Usage {
  readonly purpose: string;
  readonly at: Date;
  /**
   * Whether the roots are an outside authority's and trusted for this purpose only. CAs below them
   * need not name the purpose.
   */
  readonly isOutside?: boolean;
}

/** The pinned root of a valid path, and the end of its first certificate to expire. */
export interface ValidPath {
  readonly root: X509Certificate;
  readonly endsAt: Date;
}

/**
 * Returns the paths from the signer of a CMS to pinned roots that are valid for a purpose at a time
 * (RFC 5280 §6.1). Each path contains all the sent certificates in their order. If there is none,
 * returns the fault of the first path. Only signatures decide which CA issued which certificate, so
 * any other mismatch is a fault and not another path.
 * @throws `MalformedDer`
 */
export function validPathsOf(
  { signer, certificates }: Pick<ReadCms, 'signer' | 'certificates'>,
  roots: readonly X509Certificate[],
  usage: Usage,
): readonly ValidPath[] | PathFault {
  if (certificates.length > certificatesMax) return { fault: 'chain' };
  const leaf = readCertificate(signer.raw);
  if (!signer.keyUsage?.includes(usage.purpose)) return { fault: 'certificate_purpose' };
  const sent = certificates.map((one) => readCertificate(one.raw));
  const paths = [
    ...pathsAbove(
      [leaf],
      sent,
      roots.map((one) => readCertificate(one.raw)),
    ),
  ];
  const faults = paths.map((path) => faultOf(path, usage));
  const good = paths.filter((_path, index) => faults[index] === null);
  const whole = good.filter((path) => isAll(path, certificates));
  if (whole.length > 0) return whole.map(endOf);
  if (good.length > 0) return { fault: 'chain' };
  const fault = faults.find((one) => one !== null);
  if (fault) return { fault };
  const isIssued = sent.some((one) => isAbove(one, leaf));
  return isIssued ? { fault: 'root_not_trusted', isUnknown: true } : { fault: 'chain' };
}

/** Whether the sent certificates are exactly those of the path, in its order. */
function isAll(path: readonly Certificate[], sent: readonly X509Certificate[]): boolean {
  const below = path.slice(0, -1);
  return (
    below.length === sent.length &&
    below.every(({ x509 }, index) => sent[index]?.raw.equals(x509().raw) === true)
  );
}

/** Yields every path by signatures from the leaf to a root, over one CA or more. */
function* pathsAbove(
  path: readonly Certificate[],
  sent: readonly Certificate[],
  roots: readonly Certificate[],
): Generator<readonly Certificate[]> {
  const top = path.at(-1);
  if (!top) return;
  if (path.length > 1) {
    for (const root of roots) if (isAbove(root, top)) yield [...path, root];
  }
  if (path.length > authoritiesMax) return;
  for (const one of sent) {
    if (!path.includes(one) && isAbove(one, top)) {
      yield* pathsAbove([...path, one], sent, roots);
    }
  }
}

function isAbove(issuer: Certificate, subject: Certificate): boolean {
  const [above, below] = [issuer.x509(), subject.x509()];
  return !below.raw.equals(above.raw) && isCertifiedBy(below, above);
}

function faultOf(
  path: readonly Certificate[],
  usage: Usage,
): 'chain' | 'certificate_purpose' | null {
  const [leaf, ...authorities] = path;
  if (!leaf || !isSigner(leaf)) return 'chain';
  const isWhole = path.every((one, index) => isFit(one, path[index + 1], index, usage.at));
  if (!isWhole) return 'chain';
  const isFor = authorities.every(({ x509 }, index) => {
    // A pinned root counts for every purpose, unless it restricts itself.
    const isRoot = index === authorities.length - 1;
    const found: readonly string[] | undefined = x509().keyUsage;
    return ((isRoot || usage.isOutside) && !found) || mayCertify(x509(), usage.purpose);
  });
  return isFor ? null : 'certificate_purpose';
}

/** Whether it is not a CA and its key may sign (RFC 5280 §4.2.1.3). */
function isSigner(leaf: Certificate): boolean {
  const usage = keyUsageOf(leaf.extensions) ?? signingUsages;
  return !leaf.x509().ca && (usage & signingUsages) !== 0;
}

/**
 * Whether one certificate of a path fits its position: it is in force, the next one issued it as a
 * CA, and it has no critical extension that is not judged here. Above the leaf, its path length
 * allows this height. Names are not judged, so name constraints are refused.
 */
function isFit(one: Certificate, next: Certificate | undefined, height: number, at: Date): boolean {
  const isKnown =
    unknownCriticalOf(one, [extensionOids.extendedKeyUsage]) === null &&
    !one.extensions.has(extensionOids.nameConstraints);
  const isIssued = !next || issueFaultOf(one, next) === null;
  const isLowEnough = height === 0 || height - 1 <= depthOf(one);
  return dateFaultOf(one, at) === null && isKnown && isIssued && isLowEnough;
}

/** Returns how many CAs may be between this one and a leaf (RFC 5280 §4.2.1.9). */
function depthOf(certificate: Certificate): number {
  // The clause requires it to be critical in every CA.
  if (!basicConstraintsOf(certificate.extensions)?.isCritical) return -1;
  const length = pathLengthOf(certificate);
  return length === null ? Infinity : length & 0x7f;
}

function endOf(path: readonly Certificate[]): ValidPath {
  const [root] = path.toReversed();
  if (!root) throw new TypeError('a path has a root');
  const ends = path.map(({ x509 }) => x509().validToDate.getTime());
  return { root: root.x509(), endsAt: new Date(Math.min(...ends)) };
}
