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

/** The lists of authorities of time stamps are short; one goes into every affidavit. */
const listBytesMax = 128 * 1024;
const timeoutMs = 10_000;
const pointsMax = 4;
/** For as long a list that clears serves without being asked for again, unless it runs out. */
const cacheMs = 3600_000;
const cacheMax = 64;

/** Fetches lists; one that clears is asked for once an hour. */
export interface RevocationLists {
  /**
   * The CRLs that clear a path below its root, DER, each once; `revoked` where one lists it, null
   * where one is not to be had, is not in force, or is older than what it would clear.
   */
  clearing(
    path: readonly X509Certificate[],
    root: X509Certificate,
  ): Promise<readonly Buffer[] | 'revoked' | null>;
}

export interface RevocationListsDeps {
  readonly clock: () => Date;
  /** Whether lists may lie inside: elsewhere a certificate would choose what is asked in there. */
  readonly allowPrivate: boolean;
  /** Is told of each host that is not asked, since it is not public. */
  readonly refuse: (host: string) => void;
}

/** Lists from where the certificates of an authority say that they are (RFC 5280 §4.2.1.13). */
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
      // What was kept and does not speak of this one may have been replaced by now.
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

/** Null where it is not to be had, or not from there. No redirect is followed. */
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

/** What a list says of a certificate; null for one that does not speak of it now. */
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
    // A list that clears nobody may revoke.
    if (revokes(list, readCertificate(one.raw).serial)) return 'revoked';
    if (defectOf(list, at) !== null) return null;
    const isInForce = list.nextUpdate !== null && at < list.nextUpdate;
    return isInForce && one.validFromDate <= list.thisUpdate ? 'good' : null;
  } catch {
    return null;
  }
}

/** The addresses of full names, as far as they are of http or https. Throws `MalformedDer`. */
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
