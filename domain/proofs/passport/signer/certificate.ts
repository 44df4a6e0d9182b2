import { childrenOf, readElement, tags } from '../../../pki/read-der.ts';
import { refusalOf, schemeOf, type LegacyPolicy } from '../../../pki/x509/algorithms.ts';
import { once, orNull, readFields, type Certificate } from '../../../pki/x509/certificate.ts';
import {
  authorityKeyIdOf,
  basicConstraintsOf,
  extendedKeyUsageOf,
  extensionOids,
  keyUsageOf,
  subjectKeyIdOf,
} from '../../../pki/x509/extensions.ts';
import { readName, textOf, type Name } from '../../../pki/x509/name.ts';

/** A certificate of a State (ICAO 9303-12): a CSCA, a document signer or a list signer. */
export interface CountryCertificate extends Certificate {
  readonly issuer: Name;
  readonly subject: Name;
  readonly subjectKeyId: string | null;
  readonly authorityKeyId: string | null;
  /** The first octet of the keyUsage bit string; null without the extension. */
  readonly keyUsage: number | null;
  readonly extendedKeyUsage: readonly string[];
  readonly isAuthority: boolean;
  /** Document types of ICAO 9303-12 `documentTypeList`; null without the extension. */
  readonly documentTypes: readonly string[] | null;
  readonly unknownCritical: readonly string[];
  /** False for a self-signed certificate with an invalid signature: its bytes were changed. */
  readonly intact: () => boolean;
}

/**
 * Reads a certificate of a State, DER. Verifies nothing.
 * @throws `MalformedDer`, also for an unreadable name or known extension
 */
export function readCountryCertificate(der: Uint8Array): CountryCertificate {
  const fields = readFields(der);
  const { extensions, issuerName, subjectName, x509 } = fields;
  const issuer = readName(issuerName);
  const subject = readName(subjectName);
  const subjectKeyId = subjectKeyIdOf(extensions);
  const authorityKeyId = authorityKeyIdOf(extensions);
  return {
    ...fields,
    issuer,
    subject,
    subjectKeyId,
    authorityKeyId,
    keyUsage: keyUsageOf(extensions),
    extendedKeyUsage: extendedKeyUsageOf(extensions),
    isAuthority: basicConstraintsOf(extensions)?.isAuthority ?? false,
    documentTypes: documentTypesOf(fields),
    unknownCritical: Array.from(extensions.values())
      .filter(({ oid, isCritical }) => isCritical && !known.has(oid))
      .map(({ oid }) => oid),
    intact: once(() => {
      const isSelfSigned = authorityKeyId
        ? authorityKeyId === subjectKeyId
        : issuer.key === subject.key;
      return !isSelfSigned || orNull(() => x509().verify(x509().publicKey)) === true;
    }),
  };
}

/**
 * Returns why the key of `parent` did not issue `child`, or null if it did. Names are not compared:
 * link certificates share them, so only the signature decides.
 */
export function countryIssueFaultOf(
  child: Certificate,
  parent: Certificate,
  legacy: LegacyPolicy = 'refuse',
): 'invalid' | 'refused' | null {
  const scheme = schemeOf(child.signatureAlgorithm, null);
  const key = parent.publicKey();
  if (!scheme || !key || refusalOf(scheme, key, legacy)) return 'refused';
  return orNull(() => child.x509().verify(key)) ? null : 'invalid';
}

/**
 * Returns `not yet valid` or `expired` if `at` is outside the validity (RFC 5280 §4.1.2.5), or
 * null.
 */
export function countryDateFaultOf({ x509 }: Certificate, at: Date): string | null {
  const { validFromDate, validToDate } = x509();
  if (!(validFromDate <= at)) return 'not yet valid';
  return at <= validToDate ? null : 'expired';
}

const documentTypeList = '2.23.136.1.1.6.2';

/**
 * DocumentTypeListSyntax ::= SEQUENCE { version INTEGER, docTypeList SET OF PrintableString }.
 * Indonesia and the Philippines list the types in the SEQUENCE itself.
 */
function documentTypesOf({ extensions }: Certificate): string[] | null {
  const extension = extensions.get(documentTypeList);
  if (!extension) return null;
  return childrenOf(readElement(extension.value, tags.sequence).contents)
    .filter(({ tag }) => tag !== tags.integer)
    .flatMap((each) => (each.tag === tags.set ? childrenOf(each.contents) : [each]))
    .map(textOf);
}

/**
 * Extensions that are read above, and those that do not restrict what the rules rely on: private
 * key usage period, alternative names, distribution points, policies and the name change of a
 * State.
 */
const known: ReadonlySet<string> = new Set([
  extensionOids.subjectKeyId,
  extensionOids.keyUsage,
  extensionOids.basicConstraints,
  extensionOids.authorityKeyId,
  extensionOids.extendedKeyUsage,
  documentTypeList,
  '2.5.29.16',
  '2.5.29.17',
  '2.5.29.18',
  '2.5.29.31',
  '2.5.29.32',
  '2.23.136.1.1.6.1',
]);
