import { MalformedDer } from '../../../pki/read-der.ts';
import { keyUsages } from '../../../pki/x509/extensions.ts';
import {
  countryIssueFaultOf,
  readCountryCertificate,
  type CountryCertificate,
} from './certificate.ts';
import { createCscaStore, joinCscaStores, type CscaStore } from './master-list.ts';
import { createSignatureTries, type SignatureTries } from './signature-tries.ts';

/** CSCAs that are trusted because a trusted CSCA introduced them. */
export interface LinkedStore extends CscaStore {
  /** Returns the path from a certificate of this store up to the directly trusted one, the last. */
  pathOf(certificate: CountryCertificate): readonly CountryCertificate[];
}

/** States renew their key every few years and publish two certificates each time. */
export const linksMax = 2_000;
const passesMax = 8;

/**
 * Checks untrusted certificates against the trusted CSCAs (ICAO 9303-12, certification path: CSCA
 * link certificates). It accepts a CA certificate that a trusted CSCA of the same State signed. It
 * also accepts a self-signed one with the key of an accepted one, and continues from there. All
 * others are ignored. It verifies at most `triesMax` signatures.
 */
export function linkedStore(
  trusted: CscaStore,
  candidates: readonly Uint8Array[],
  triesMax = linksMax,
): LinkedStore {
  const by = new Map<CountryCertificate, CountryCertificate>();
  const tries = createSignatureTries(triesMax);
  let left = candidates.slice(0, linksMax).flatMap(readable).filter(isAuthority);
  for (let pass = 0, before = -1; pass < passesMax && by.size > before; pass += 1) {
    before = by.size;
    const known = joinCscaStores([trusted, storeOf(by.keys())]);
    const keys = new Map([...by.keys()].map((each) => [keyOf(each), each]));
    left = left.filter((each) => {
      const parent = parentOf(each, known, keys, tries);
      if (parent) by.set(each, parent);
      return !parent;
    });
  }
  const store = storeOf(by.keys());
  const links = new Map([...by].map(([each, parent]) => [textOf(each), parent]));
  return {
    ...store,
    pathOf(certificate) {
      const path: CountryCertificate[] = [];
      for (
        let next: CountryCertificate | undefined = certificate;
        next && path.length <= passesMax;
        next = links.get(textOf(next))
      ) {
        path.push(next);
      }
      return path;
    },
  };
}

function parentOf(
  candidate: CountryCertificate,
  known: CscaStore,
  keys: ReadonlyMap<string, CountryCertificate>,
  tries: SignatureTries,
): CountryCertificate | null {
  const { country } = candidate.subject;
  const sameKey = keys.get(keyOf(candidate));
  if (sameKey && sameKey.subject.country === country && isSelfSigned(candidate)) return sameKey;
  for (const issuer of known.issuersOf(candidate)) {
    if (country === null || issuer.subject.country !== country) continue;
    if (!tries.take()) return null;
    if (!countryIssueFaultOf(candidate, issuer) && issuer.intact()) return issuer;
  }
  return null;
}

const isSelfSigned = (certificate: CountryCertificate): boolean =>
  certificate.issuer.key === certificate.subject.key &&
  !countryIssueFaultOf(certificate, certificate);

const isAuthority = ({ isAuthority: isCa, keyUsage }: CountryCertificate): boolean =>
  isCa && keyUsage !== null && (keyUsage & keyUsages.keyCertSign) !== 0;

function readable(der: Uint8Array): CountryCertificate[] {
  try {
    return [readCountryCertificate(der)];
  } catch (error) {
    if (error instanceof MalformedDer) return [];
    throw error;
  }
}

const storeOf = (certificates: Iterable<CountryCertificate>): CscaStore =>
  createCscaStore(Array.from(certificates, ({ der }) => der));

const textOf = ({ der }: CountryCertificate): string => Buffer.from(der).toString('latin1');

/** Returns the bytes of the public key; for an unreadable key, bytes that equal no key. */
const keyOf = (certificate: CountryCertificate): string =>
  certificate.publicKey()?.export({ format: 'der', type: 'spki' }).toString('latin1') ??
  textOf(certificate);
