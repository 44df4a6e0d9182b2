import type { X509Certificate } from 'node:crypto';
import { request } from 'undici';
import { childrenOf, readElement, tags } from '../../../domain/pki/read-der.ts';
import { defectOf, readCrl, revokes } from '../../../domain/pki/revocation/crl.ts';
import { readCertificate } from '../../../domain/pki/x509/certificate.ts';
import { extensionOids } from '../../../domain/pki/x509/extensions.ts';
import { isCertifiedBy } from '../../../domain/pki/x509/is-certified-by.ts';
import { deadline, throwIfCanceled } from '../../runtime/cancellation.ts';
import { isPublicHost, isRefusal } from '../../vendors/guard.ts';
import { createGuardedAgent } from '../../vendors/guarded-agent.ts';
import { readBounded } from '../../vendors/published-lists.ts';

/** CRLs of time-stamping authorities are short, and every affidavit contains one. */
const listBytesMax = 128 * 1024;
const timeoutMs = 10_000;
const pointsMax = 4;
/** How long a CRL is reused without a new request, unless it expires earlier. */
const cacheMs = 3600_000;
const cacheMax = 64;

/** Fetches CRLs, each at most once an hour while it covers its certificate. */
export interface RevocationLists {
  /**
   * Returns the CRLs that cover a path below its root, DER, each once. Returns `revoked` where one
   * lists a certificate of the path, and null where one is unavailable, expired, or older than its
   * certificate.
   */
  clearing(
    path: readonly X509Certificate[],
    root: X509Certificate,
  ): Promise<readonly Buffer[] | 'revoked' | null>;
}

export interface RevocationListsDeps {
  readonly clock: () => Date;
  /**
   * Whether CRLs may be at private addresses. A certificate could then choose internal requests.
   */
  readonly allowPrivate: boolean;
  /** Receives each host that is not requested because it is not public. */
  readonly refuse: (host: string) => void;
}

/**
 * Creates a source of CRLs from the distribution points in the certificates of an authority (RFC
 * 5280 §4.2.1.13).
 */
export function createRevocationLists(deps: RevocationListsDeps): RevocationLists {
  const { clock } = deps;
  const kept = new Map<string, { readonly der: Buffer; readonly untilMs: number }>();

  return {
    async clearing(path, root) {
      const found = new Map<string, Buffer>();
      for (const [index, one] of path.entries()) {
        const der = await listOf(one, path[index + 1] ?? root);
        if (der === null || der === 'revoked') return der;
        found.set(der.toString('base64'), der);
      }
      return [...found.values()];
    },
  };

  async function listOf(one: X509Certificate, issuer: X509Certificate) {
    for (const url of pointsOf(one)) {
      const known = keptOf(url);
      if (known && standingOf(one, issuer, known, clock()) === 'good') return known;
      // A cached CRL that does not cover this certificate may have been replaced.
      const der = await fetchList(url, deps);
      const standing = der && standingOf(one, issuer, der, clock());
      if (standing === 'revoked') return standing;
      if (!der || standing !== 'good') continue;
      if (kept.size >= cacheMax) kept.clear();
      kept.set(url, { der, untilMs: clock().getTime() + cacheMs });
      return der;
    }
    return null;
  }

  function keptOf(url: string): Buffer | null {
    const known = kept.get(url);
    return known && clock().getTime() < known.untilMs ? known.der : null;
  }
}

/**
 * Returns null where the CRL is unavailable or its address is not allowed. Follows no redirects.
 */
async function fetchList(
  url: string,
  { allowPrivate, refuse }: RevocationListsDeps,
): Promise<Buffer | null> {
  const { host } = new URL(url);
  if (!allowPrivate && !isPublicHost(new URL(url))) {
    refuse(host);
    return null;
  }
  const dispatcher = createGuardedAgent(allowPrivate);
  try {
    const bound = { dispatcher, signal: deadline(timeoutMs) };
    const { statusCode, body } = await request(url, bound);
    return statusCode === 200 ? Buffer.from(await readBounded({ body }, listBytesMax)) : null;
  } catch (error) {
    throwIfCanceled();
    if (isRefusal(error)) refuse(host);
    return null;
  } finally {
    await dispatcher.destroy();
  }
}

/** Returns the status of a certificate in a CRL; null if the CRL does not cover it now. */
function standingOf(
  one: X509Certificate,
  issuer: X509Certificate,
  der: Buffer,
  at: Date,
): 'good' | 'revoked' | null {
  try {
    const list = readCrl(der);
    const isIts = isCertifiedBy(one, issuer) && list.signed(readCertificate(issuer.raw), 'refuse');
    if (!isIts) return null;
    // A CRL that cannot clear certificates can still revoke.
    if (revokes(list, readCertificate(one.raw).serial)) return 'revoked';
    if (defectOf(list, at) !== null) return null;
    const isInForce = list.nextUpdate !== null && at < list.nextUpdate;
    return isInForce && one.validFromDate <= list.thisUpdate ? 'good' : null;
  } catch {
    return null;
  }
}

/**
 * Returns the http and https URLs of the distribution points (full names only).
 * @throws MalformedDer
 */
function pointsOf(one: X509Certificate): string[] {
  const { extensions } = readCertificate(one.raw);
  const value = extensions.get(extensionOids.distributionPoints)?.value;
  if (!value) return [];
  const points = childrenOf(readElement(value, tags.sequence).contents);
  return points
    .flatMap(({ contents }) => childrenOf(contents).filter(({ tag }) => tag === 0xa0))
    .flatMap(({ contents }) => childrenOf(contents).filter(({ tag }) => tag === 0xa0))
    .flatMap(({ contents }) => childrenOf(contents).filter(({ tag }) => tag === 0x86))
    .map(({ contents }) => Buffer.from(contents).toString('latin1'))
    .filter((url) => /^https?:$/.test(URL.parse(url)?.protocol ?? ''))
    .slice(0, pointsMax);
}
