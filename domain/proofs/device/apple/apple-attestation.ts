import { childrenOf, MalformedDer, readElement, tags } from '../../../pki/read-der.ts';
import { readCertificate, spkiOf, type Certificate } from '../../../pki/x509/certificate.ts';
import { bytesAt, mapAt, MalformedCbor, readCborMap } from '../cbor.ts';
import { readAttestedData, type AttestedData } from './authenticator-data.ts';

/** The parts of an App Attest attestation object; null for a part that cannot be read. */
export interface Attestation {
  readonly leaf: Certificate | null;
  readonly intermediate: Certificate | null;
  readonly data: AttestedData | null;
  readonly authData: Uint8Array | null;
  readonly receipt: Uint8Array | null;
  readonly faults: readonly string[];
}

const attestationBytesMax = 16 * 1024;
const nonceExtension = '1.2.840.113635.100.8.2';
const osExtension = '1.2.840.113635.100.8.7';
/** [1400] as identifier octets (X.690 §8.1.2.4). */
const osVersionTag = Buffer.from([0xbf, 0x8a, 0x78]);

/**
 * Reads `{fmt: "apple-appattest", attStmt: {x5c: [leaf, intermediate], receipt}, authData}`. Reads
 * each part independently, so that as many rules as possible run. Never throws.
 */
export function readAttestation(bytes: Uint8Array): Attestation {
  const faults: string[] = [];
  const part = <T>(name: string, read: () => T): T | null => {
    try {
      return read();
    } catch {
      faults.push(name);
      return null;
    }
  };
  const object = part('CBOR', () => readObject(bytes));
  const statement = object && part('attStmt', () => mapAt(object, 'attStmt'));
  const chain = statement && part('x5c', () => readChain(statement.get('x5c')));
  const authData = object && part('authData', () => bytesAt(object, 'authData'));
  return {
    leaf: chain && part('x5c', () => readCertificate(chain[0])),
    intermediate: chain && part('x5c', () => readCertificate(chain[1])),
    data: authData && part('authData', () => readAttestedData(authData)),
    authData,
    receipt: statement && part('receipt', () => bytesAt(statement, 'receipt')),
    faults,
  };
}

/**
 * Returns the nonce in the leaf: SEQUENCE { [1] { OCTET STRING } }.
 * @throws `MalformedDer`
 */
export function nonceOf(leaf: Certificate): Uint8Array {
  const extension = leaf.extensions.get(nonceExtension);
  if (!extension) throw new MalformedDer('no nonce');
  const [field, surplus] = childrenOf(readElement(extension.value, tags.sequence).contents);
  if (field?.tag !== 0xa1 || surplus) throw new MalformedDer('no nonce');
  return readElement(field.contents, tags.octetString).contents;
}

/** Returns the uncompressed point of the leaf's P-256 key, 65 bytes; null for any other key. */
export function leafPointOf(leaf: Certificate): Uint8Array | null {
  try {
    const isP256 = leaf.x509().publicKey.asymmetricKeyDetails?.namedCurve === 'prime256v1';
    return isP256 ? spkiOf(leaf).subarray(-65) : null;
  } catch {
    return null;
  }
}

/** Returns the iOS version in the leaf, for information; null if absent. */
export function osVersionOf(leaf: Certificate): string | null {
  const value = leaf.extensions.get(osExtension)?.value;
  const start = value ? Buffer.from(value).indexOf(osVersionTag) : -1;
  if (!value || start < 0) return null;
  const length = value[start + osVersionTag.length] ?? 0;
  const field = value.subarray(start + osVersionTag.length + 1).subarray(0, length);
  const text = field[0] === tags.octetString ? Buffer.from(field.subarray(2)).toString() : '';
  return /^\d+(\.\d+){0,3}$/.test(text) ? text : null;
}

function readObject(bytes: Uint8Array): Map<unknown, unknown> {
  if (bytes.length > attestationBytesMax) throw new MalformedCbor('too long');
  const object = readCborMap(bytes);
  if (object.get('fmt') !== 'apple-appattest') throw new MalformedCbor('another format');
  return object;
}

function readChain(value: unknown): readonly [Uint8Array, Uint8Array] {
  if (!Array.isArray(value) || value.length !== 2) throw new MalformedCbor('not two certificates');
  const [leaf, intermediate]: readonly unknown[] = value;
  if (!(leaf instanceof Uint8Array && intermediate instanceof Uint8Array)) {
    throw new MalformedCbor('not certificates');
  }
  return [leaf, intermediate];
}
