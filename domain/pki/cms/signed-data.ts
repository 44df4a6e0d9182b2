import {
  childrenOf,
  MalformedDer,
  octetsOf,
  oidOf,
  readElement,
  take,
  takeIf,
  tags,
  type Element,
  type Rules,
} from '../read-der.ts';

/** The fields of a SignedData with one signer (RFC 5652 §5.1). Nothing is verified. */
export interface SignedData {
  /** INTEGER contents. */
  readonly version: Uint8Array;
  readonly digestAlgorithms: readonly Element[];
  readonly contentType: string;
  /** Null if detached. */
  readonly content: Uint8Array | null;
  /** Null if the field is absent. */
  readonly certificates: readonly Uint8Array[] | null;
  readonly hasRevocationLists: boolean;
  readonly signer: SignerInfo;
}

/** SignerInfo (RFC 5652 §5.3). */
export interface SignerInfo {
  /** INTEGER contents. */
  readonly version: Uint8Array;
  /** IssuerAndSerialNumber, or the subject key identifier as [0]. */
  readonly identifier: Element;
  readonly digestAlgorithm: Element;
  /** As sent, with the implicit tag [0]; null if absent. */
  readonly signedAttributes: Element | null;
  readonly signatureAlgorithm: Element;
  /** An OCTET STRING; in BER it may be in pieces. */
  readonly signature: Element;
  /** With the implicit tag [1]; null if absent. */
  readonly unsignedAttributes: Element | null;
}

const signedDataOid = '1.2.840.113549.1.7.2';
const [context0, context1, keyIdTag] = [0xa0, 0xa1, 0x80] as const;

/**
 * Reads a ContentInfo with a SignedData of exactly one signer (RFC 5652 §3, §5.1, §5.3), in DER or
 * BER: issuers and vendors send indefinite lengths and strings in pieces. The caller checks the
 * content of the fields.
 * @throws `MalformedDer` for any other or further field
 */
export function readSignedData(bytes: Uint8Array): SignedData {
  const info = membersOf(readElement(bytes, tags.sequence, 'ber'));
  if (oidOf(take(info, tags.oid).contents) !== signedDataOid) {
    throw new MalformedDer('not a SignedData');
  }
  const fields = membersOf(onlyOf(membersOf(onlyOf(info, context0)), tags.sequence));
  const version = take(fields, tags.integer).contents;
  const digestAlgorithms = membersOf(take(fields, tags.set));
  const encapsulated = membersOf(take(fields, tags.sequence));
  const contentType = oidOf(take(encapsulated, tags.oid).contents);
  const content = takeIf(encapsulated, context0);
  ended(encapsulated);
  const certificates = takeIf(fields, context0);
  const lists = takeIf(fields, context1);
  const signers = membersOf(onlyOf(fields, tags.set));
  return {
    version,
    digestAlgorithms,
    contentType,
    content: content && octetsOf(onlyOf(membersOf(content))),
    certificates: certificates && membersOf(certificates).map(({ whole }) => whole),
    hasRevocationLists: lists !== null,
    signer: readSigner(membersOf(onlyOf(signers, tags.sequence))),
  };
}

function readSigner(rest: Element[]): SignerInfo {
  const version = take(rest, tags.integer).contents;
  const identifier = takeIf(rest, keyIdTag) ?? take(rest, tags.sequence);
  const digestAlgorithm = take(rest, tags.sequence);
  const signedAttributes = takeIf(rest, context0);
  const signatureAlgorithm = take(rest, tags.sequence);
  const signature = takeIf(rest, tags.octetString) ?? take(rest, tags.octetPieces);
  const unsignedAttributes = takeIf(rest, context1);
  ended(rest);
  return {
    version,
    identifier,
    digestAlgorithm,
    signedAttributes,
    signatureAlgorithm,
    signature,
    unsignedAttributes,
  };
}

/**
 * Returns attributes by type (RFC 5652 §5.3); each type occurs once and has one value.
 * @param contents the contents of the field
 * @throws `MalformedDer`
 */
export function readAttributes(contents: Uint8Array, rules: Rules): Map<string, Element> {
  const found = new Map<string, Element>();
  for (const attribute of childrenOf(contents, rules)) {
    const [type, values, surplus] =
      attribute.tag === tags.sequence ? childrenOf(attribute.contents, rules) : [];
    if (type?.tag !== tags.oid || values?.tag !== tags.set || surplus) {
      throw new MalformedDer('not an attribute');
    }
    const [value, ...more] = childrenOf(values.contents, rules);
    const oid = oidOf(type.contents);
    if (!value || more.length > 0 || found.has(oid)) throw new MalformedDer('attribute twice');
    found.set(oid, value);
  }
  return found;
}

const membersOf = ({ contents }: Element): Element[] => childrenOf(contents, 'ber');

/** Returns the only remaining element; it must have `tag` if given. */
function onlyOf(rest: readonly Element[], tag?: number): Element {
  const [element, surplus] = rest;
  if (!element || surplus || (tag !== undefined && element.tag !== tag)) {
    throw new MalformedDer('another field is expected');
  }
  return element;
}

function ended(rest: readonly Element[]): void {
  if (rest.length > 0) throw new MalformedDer('more than the fields there are');
}
