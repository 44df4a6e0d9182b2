import { createHash } from 'node:crypto';
import { Failure } from '../../../../workflows/failures.ts';
import {
  childrenOf,
  elementsOf,
  MalformedDer,
  readElement,
  take,
  tags,
} from '../../../pki/read-der.ts';
import {
  countryIssueFaultOf,
  readCountryCertificate,
  type CountryCertificate,
} from './certificate.ts';
import { readCountrySigned, signerCertificate, verifySigner } from './country-signed.ts';

/** Country signing certificates, indexed by key identifier and name. Immutable. */
export interface CscaStore {
  /** Number of certificates, and number of unreadable ones that were left out. */
  readonly size: number;
  readonly unreadable: number;
  readonly certificates: readonly CountryCertificate[];
  /** Returns possible issuers of a certificate: by key identifier first, then by name. */
  issuersOf(
    certificate: Pick<CountryCertificate, 'authorityKeyId' | 'issuer'>,
  ): readonly CountryCertificate[];
}

/** A verified signed list. */
export interface MasterList extends CscaStore {
  /** The stated signing time; null if absent. */
  readonly signedAt: Date | null;
}

const listType = '2.23.136.1.1.2';
const listSignerUse = '2.23.136.1.1.3';
export const masterListBytesMax = 16 * 1024 * 1024;
const certificatesMax = 10_000;

/**
 * Verifies a CSCA master list (ICAO 9303-12, CSCA master list: CMS SignedData) and returns its
 * certificates. The given national root (DER) must have issued the signer. The signer needs the
 * extended key usage of a list signer, so that no other key of that State can publish trust. Dates
 * are not judged: the age of a list is its owner's policy.
 * @throws `Failure('trust_list_invalid')`
 */
export function parseMasterList(bytes: Uint8Array, rootDer: Uint8Array): MasterList {
  try {
    const { content, signedAt } = verifiedContent(bytes, rootDer);
    return { ...createCscaStore(certificatesOf(content)), signedAt };
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw new Failure('trust_list_invalid', { detail: 'It cannot be read.', cause: error });
  }
}

/**
 * Indexes trusted CSCA certificates in DER without duplicates. Unreadable ones are left out and
 * counted: national lists contain oddities, and one of them must not exclude all other States.
 */
export function createCscaStore(certificates: Iterable<Uint8Array>): CscaStore {
  const byKeyId = new Map<string, CountryCertificate[]>();
  const byName = new Map<string, CountryCertificate[]>();
  const seen = new Set<string>();
  const read: CountryCertificate[] = [];
  let unreadable = 0;
  for (const der of certificates) {
    const digest = createHash('sha256').update(der).digest('base64');
    if (seen.has(digest)) continue;
    seen.add(digest);
    try {
      const certificate = readCountryCertificate(der);
      if (certificate.subjectKeyId) add(byKeyId, certificate.subjectKeyId, certificate);
      add(byName, certificate.subject.key, certificate);
      read.push(certificate);
    } catch (error) {
      if (!(error instanceof MalformedDer)) throw error;
      unreadable += 1;
    }
  }
  return {
    size: read.length,
    unreadable,
    certificates: read,
    issuersOf({ authorityKeyId, issuer }) {
      const named = byName.get(issuer.key) ?? [];
      return [...new Set([...(byKeyId.get(authorityKeyId ?? '') ?? []), ...named])];
    },
  };
}

/**
 * Combines several stores: signed lists and pinned certificates. Certificates in several stores are
 * returned once, but counted in each.
 */
export function joinCscaStores(stores: readonly CscaStore[]): CscaStore {
  return {
    size: stores.reduce((sum, store) => sum + store.size, 0),
    unreadable: stores.reduce((sum, store) => sum + store.unreadable, 0),
    get certificates() {
      return distinct(stores.flatMap((store) => store.certificates));
    },
    issuersOf: (certificate) => distinct(stores.flatMap((store) => store.issuersOf(certificate))),
  };
}

function distinct(certificates: readonly CountryCertificate[]): CountryCertificate[] {
  const found = new Map<string, CountryCertificate>();
  for (const each of certificates) {
    const key = Buffer.from(each.der).toString('latin1');
    if (!found.has(key)) found.set(key, each);
  }
  return [...found.values()];
}

function verifiedContent(
  bytes: Uint8Array,
  rootDer: Uint8Array,
): { content: Uint8Array; signedAt: Date | null } {
  if (bytes.length > masterListBytesMax) throw refuse('It is larger than 16 MiB.');
  const list = readCountrySigned(bytes);
  if (list.contentType !== listType) throw refuse('It is no master list.');
  const signer = signerCertificate(list);
  if (!signer?.extendedKeyUsage.includes(listSignerUse))
    throw refuse('Its signer may not sign it.');
  if (countryIssueFaultOf(signer, readCountryCertificate(rootDer)))
    throw refuse('Its signer is not the root’s.');
  const answer = verifySigner(list, signer);
  if (!answer.ok) throw refuse(`Its signature does not hold (${answer.detail}).`);
  return { content: list.content, signedAt: answer.signingTime };
}

/** CscaMasterList ::= SEQUENCE { version INTEGER (0), certList SET OF Certificate }. */
function* certificatesOf(content: Uint8Array): Generator<Uint8Array> {
  const rest = childrenOf(readElement(content, tags.sequence).contents);
  if (take(rest, tags.integer).contents[0] !== 0) throw refuse('Its version is unknown.');
  let count = 0;
  for (const certificate of elementsOf(take(rest, tags.set).contents)) {
    count += 1;
    if (count > certificatesMax) throw refuse('It holds more than 10,000 certificates.');
    yield certificate.whole;
  }
}

function add(
  index: Map<string, CountryCertificate[]>,
  key: string,
  certificate: CountryCertificate,
): void {
  const existing = index.get(key);
  if (existing) existing.push(certificate);
  else index.set(key, [certificate]);
}

const refuse = (detail: string): Failure => new Failure('trust_list_invalid', { detail });
