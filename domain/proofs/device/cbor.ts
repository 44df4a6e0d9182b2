import { decode } from 'cbor2';

/** Bytes that are not the expected CBOR. */
export class MalformedCbor extends Error {
  override readonly name = 'MalformedCbor';
}

const depthMax = 8;

/**
 * Decodes one CBOR map (RFC 8949 §5.3: strict): no trailing bytes, no indefinite lengths, no
 * duplicate keys, at most 8 levels. Tags are not interpreted: a tagged value is neither a map nor
 * bytes.
 * @throws `MalformedCbor`
 */
export function readCborMap(bytes: Uint8Array): Map<unknown, unknown> {
  let value: unknown;
  try {
    value = decode(bytes, {
      maxDepth: depthMax,
      rejectStreaming: true,
      rejectDuplicateKeys: true,
      requirePreferred: true,
      ignoreGlobalTags: true,
      preferMap: true,
    });
  } catch {
    throw new MalformedCbor('not CBOR');
  }
  if (!(value instanceof Map)) throw new MalformedCbor('not a map');
  return value;
}

/**
 * Returns the byte string under a key.
 * @throws `MalformedCbor` if there is none
 */
export function bytesAt(map: Map<unknown, unknown>, key: string | number): Uint8Array {
  const value = map.get(key);
  if (!(value instanceof Uint8Array)) throw new MalformedCbor(`${key} is not a byte string`);
  return value;
}

/**
 * Returns the map under a key.
 * @throws `MalformedCbor` if there is none
 */
export function mapAt(map: Map<unknown, unknown>, key: string): Map<unknown, unknown> {
  const value = map.get(key);
  if (!(value instanceof Map)) throw new MalformedCbor(`${key} is not a map`);
  return value;
}
