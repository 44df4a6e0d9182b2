import type { KeyObject, X509Certificate } from 'node:crypto';
import {
  childrenOf,
  MalformedDer,
  oidOf,
  readElement,
  take,
  takeIf,
  tags,
  type Element,
} from '../read-der.ts';
import {
  readAlgorithm,
  refusalOf,
  schemeOf,
  type AlgorithmIdentifier,
  type LegacyPolicy,
} from './algorithms.ts';
import { openCertificate } from './open-certificate.ts';

/** An X.501 Name in a form that compares: string types, case and spacing differ between issuers. */
export interface Name {
  readonly key: string;
  /** The same without forgiveness, but for string types, which differ between tools. */
  readonly exact: string;
  /** As `exact`, with the RDNs sorted: equal for names with the same RDNs in another order. */
  readonly sorted: string;
  /** countryName in capitals, null when there is none. */
  readonly country: string | null;
}

/**
 * What the rules read of a certificate. The key and the dates are node:crypto's, made on demand.
 */
export interface Certificate {
  readonly der: Uint8Array;
  readonly serial: string;
  readonly issuer: Name;
  readonly subject: Name;
  readonly signatureAlgorithm: AlgorithmIdentifier;
  readonly subjectKeyId: string | null;
  readonly authorityKeyId: string | null;
  /** The first octet of the keyUsage bit string; null when the extension is absent. */
  readonly keyUsage: number | null;
  readonly extendedKeyUsage: readonly string[];
  readonly isAuthority: boolean;
  /** Document types of ICAO 9303-12 `documentTypeList`; null when the extension is absent. */
  readonly documentTypes: readonly string[] | null;
  readonly unknownCritical: readonly string[];
  readonly x509: () => X509Certificate;
  /** Null when node:crypto cannot read the key: an unknown algorithm or curve. */
  readonly publicKey: () => KeyObject | null;
  /** False for a self-signed certificate whose signature does not hold: its bytes have changed. */
  readonly intact: () => boolean;
}

export const keyUsages = { digitalSignature: 0x80, keyCertSign: 0x04, crlSign: 0x02 } as const;

type Extensions = Omit<
  Certificate,
  'der' | 'serial' | 'issuer' | 'subject' | 'signatureAlgorithm' | 'x509' | 'publicKey' | 'intact'
>;

/** Reads a DER certificate (RFC 5280 §4.1). Throws `MalformedDer`; verifies nothing. */
export function readCertificate(der: Uint8Array): Certificate {
  const [tbs, outer] = childrenOf(readElement(der, tags.sequence).contents);
  if (tbs?.tag !== tags.sequence || !outer) throw new MalformedDer('not a certificate');
  const rest = childrenOf(tbs.contents);
  takeIf(rest, 0xa0);
  const serial = take(rest, tags.integer);
  take(rest, tags.sequence);
  const issuer = take(rest, tags.sequence);
  take(rest, tags.sequence);
  const subject = take(rest, tags.sequence);
  take(rest, tags.sequence);
  takeIf(rest, 0x81);
  takeIf(rest, 0x82);
  const x509 = once(() => openCertificate(der));
  const publicKey = once(() => orNull(() => x509().publicKey));
  const names = { issuer: readName(issuer), subject: readName(subject) };
  const extensions = readExtensions(takeIf(rest, 0xa3));
  return {
    der,
    serial: hexOf(serial.contents),
    ...names,
    signatureAlgorithm: readAlgorithm(outer.whole),
    ...extensions,
    x509,
    publicKey,
    intact: once(() => {
      const { subjectKeyId, authorityKeyId } = extensions;
      const selfSigned = authorityKeyId
        ? authorityKeyId === subjectKeyId
        : names.issuer.key === names.subject.key;
      return !selfSigned || orNull(() => x509().verify(x509().publicKey)) === true;
    }),
  };
}

/** Reads an X.501 Name SEQUENCE. */
export function readName(name: Element): Name {
  const parts: string[] = [];
  let country: string | null = null;
  for (const rdn of childrenOf(name.contents)) {
    if (rdn.tag !== tags.set) throw new MalformedDer('not a name');
    const attributes = childrenOf(rdn.contents).map((attribute) => {
      const [type, value, surplus] = childrenOf(attribute.contents);
      if (attribute.tag !== tags.sequence || type?.tag !== tags.oid || !value || surplus) {
        throw new MalformedDer('not a name');
      }
      const text = textOf(value);
      const oid = oidOf(type.contents);
      if (oid === '2.5.4.6') country = text.trim().toUpperCase();
      return `${oid}=${text}`;
    });
    parts.push(attributes.sort().join('\u0001'));
  }
  const exact = parts.join('\u0000');
  return {
    key: exact.normalize('NFKC').replaceAll(/ +/g, ' ').toLowerCase(),
    exact,
    sorted: parts.toSorted().join('\u0000'),
    country,
  };
}

/**
 * Why `child` was not issued by the key of `parent`, or null when it was. Names are not compared:
 * link certificates share them, so the signature alone decides.
 */
export function issueFaultOf(
  child: Certificate,
  parent: Certificate,
  legacy: LegacyPolicy = 'refuse',
): 'invalid' | 'refused' | null {
  const scheme = schemeOf(child.signatureAlgorithm, null);
  const key = parent.publicKey();
  if (!scheme || !key || refusalOf(scheme, key, legacy)) return 'refused';
  return orNull(() => child.x509().verify(key)) ? null : 'invalid';
}

/** Why `at` is outside a certificate's validity (both ends count, RFC 5280 §4.1.2.5), or null. */
export function dateFaultOf(certificate: Certificate, at: Date): string | null {
  const { validFromDate, validToDate } = certificate.x509();
  if (!(validFromDate <= at)) return 'not yet valid';
  return at <= validToDate ? null : 'expired';
}

function readExtensions(field: Element | null): Extensions {
  const found = {
    subjectKeyId: null as string | null,
    authorityKeyId: null as string | null,
    keyUsage: null as number | null,
    extendedKeyUsage: [] as string[],
    isAuthority: false,
    documentTypes: null as string[] | null,
    unknownCritical: [] as string[],
  };
  if (!field) return found;
  for (const extension of childrenOf(readElement(field.contents, tags.sequence).contents)) {
    const rest = childrenOf(extension.contents);
    const oid = oidOf(take(rest, tags.oid).contents);
    const critical = takeIf(rest, tags.boolean)?.contents[0] === 0xff;
    const value = take(rest, tags.octetString).contents;
    switch (oid) {
      case '2.5.29.14':
        found.subjectKeyId = hexOf(readElement(value, tags.octetString).contents);
        break;
      case '2.5.29.15':
        found.keyUsage = readElement(value, tags.bitString).contents[1] ?? 0;
        break;
      case '2.5.29.19': {
        const constraints = childrenOf(readElement(value, tags.sequence).contents);
        found.isAuthority = takeIf(constraints, tags.boolean)?.contents[0] === 0xff;
        break;
      }
      case '2.5.29.35': {
        const [keyId] = childrenOf(readElement(value, tags.sequence).contents);
        found.authorityKeyId = keyId?.tag === 0x80 ? hexOf(keyId.contents) : null;
        break;
      }
      case '2.5.29.37':
        found.extendedKeyUsage = childrenOf(readElement(value, tags.sequence).contents).map((use) =>
          oidOf(use.contents),
        );
        break;
      case '2.23.136.1.1.6.2':
        found.documentTypes = documentTypesOf(value);
        break;
      default:
        if (critical && !passive.has(oid)) found.unknownCritical.push(oid);
    }
  }
  return found;
}

/**
 * DocumentTypeListSyntax ::= SEQUENCE { version INTEGER, docTypeList SET OF PrintableString }.
 * Indonesia and the Philippines list the types in the SEQUENCE itself.
 */
function documentTypesOf(value: Uint8Array): string[] {
  return childrenOf(readElement(value, tags.sequence).contents)
    .filter(({ tag }) => tag !== tags.integer)
    .flatMap((each) => (each.tag === tags.set ? childrenOf(each.contents) : [each]))
    .map(textOf);
}

/** Extensions that restrict nothing we rely on, so that being critical does not stop us. */
const passive: ReadonlySet<string> = new Set([
  '2.5.29.16',
  '2.5.29.17',
  '2.5.29.18',
  '2.5.29.31',
  '2.5.29.32',
  '2.23.136.1.1.6.1',
]);

const stringTags: ReadonlySet<number> = new Set([0x0c, 0x13, 0x14, 0x16]);

function textOf(value: Element): string {
  const bytes = Buffer.from(value.contents);
  if (value.tag === tags.bmpString && bytes.length % 2 === 0) {
    return bytes.swap16().toString('utf16le');
  }
  if (!stringTags.has(value.tag)) throw new MalformedDer('a name holds no text');
  return bytes.toString('utf8');
}

const hexOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

/** What node:crypto makes of bytes that need not be what they claim; null when it throws. */
function orNull<T>(make: () => T): T | null {
  try {
    return make();
  } catch {
    return null;
  }
}

function once<T>(make: () => T): () => T {
  let made: { value: T } | null = null;
  return () => (made ??= { value: make() }).value;
}
