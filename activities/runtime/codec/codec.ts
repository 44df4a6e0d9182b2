import {
  createCipheriv,
  createDecipheriv,
  createSecretKey,
  randomBytes,
  type KeyObject,
} from 'node:crypto';
import type { Payload, PayloadCodec } from '@temporalio/common';
import proto from '@temporalio/proto';
import { ringIdForm, type KeyRing } from '../../../db/sealing/key-ring.ts';

const encodingName = 'binary/encrypted';
const encoder = new TextEncoder();
const decoder = new TextDecoder();
const nonceBytes = 12;
const tagBytes = 16;

export interface CodecOptions {
  readonly ring: KeyRing;
  readonly namespace: string;
  /** In production a payload that is not encrypted is refused; development reads it. */
  readonly failClosed: boolean;
}

/**
 * What one process prepares once: keys as the crypto library holds them, bytes that never change.
 */
interface Prepared {
  readonly currentId: string;
  readonly keys: ReadonlyMap<string, PreparedKey>;
  readonly failClosed: boolean;
}

interface PreparedKey {
  readonly key: KeyObject;
  readonly additionalData: Uint8Array;
  readonly metadata: Record<string, Uint8Array>;
}

/** A payload names a key that is not in the ring: it was retired too early, or is of elsewhere. */
export class UnknownKey extends Error {
  override readonly name = 'UnknownKey';

  constructor(keyId: string) {
    // Whoever made the payload wrote the id.
    const named = ringIdForm.test(keyId) ? `key ${keyId}` : 'a key without a proper id';
    super(`a payload is encrypted under ${named}, which the ring does not have`);
  }
}

/**
 * Encrypts every payload of a workflow with AES-256-GCM: the server and its store see ciphertext.
 * The namespace, key id and encoding are bound as additional data, so that a payload moved to
 * another namespace or relabelled does not open. Synchronous crypto: below 8 kB it is the fastest.
 */
export function createCodec({ ring, namespace, failClosed }: CodecOptions): PayloadCodec {
  const keys = new Map([...ring.keys].map(([id, key]) => [id, prepareKey(namespace, id, key)]));
  const prepared = { currentId: ring.currentId, keys, failClosed };
  return {
    encode: async (payloads) => payloads.map((payload) => encrypt(prepared, payload)),
    decode: async (payloads) => payloads.map((payload) => decrypt(prepared, payload)),
  };
}

function prepareKey(namespace: string, id: string, key: Uint8Array): PreparedKey {
  return {
    key: createSecretKey(key),
    additionalData: encoder.encode(`${namespace}|${id}|${encodingName}`),
    metadata: {
      encoding: encoder.encode(encodingName),
      'encryption-key-id': encoder.encode(id),
    },
  };
}

function encrypt({ currentId, keys }: Prepared, payload: Payload): Payload {
  const current = keys.get(currentId);
  if (!current) throw new Error('the codec has no current key');
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv('aes-256-gcm', current.key, nonce);
  cipher.setAAD(current.additionalData);
  const plain = proto.temporal.api.common.v1.Payload.encode(payload).finish();
  const body = cipher.update(plain);
  const end = cipher.final();
  const data = Buffer.concat([nonce, cipher.getAuthTag(), body, end]);
  return { metadata: current.metadata, data };
}

function decrypt({ keys, failClosed }: Prepared, payload: Payload): Payload {
  const encoding = payload.metadata?.['encoding'];
  if (!encoding || decoder.decode(encoding) !== encodingName) {
    if (failClosed) throw new Error('a payload is not encrypted');
    return payload;
  }
  const keyId = decoder.decode(payload.metadata?.['encryption-key-id'] ?? new Uint8Array());
  const known = keys.get(keyId);
  const { data } = payload;
  if (!known) throw new UnknownKey(keyId);
  if (!data) throw new Error('an encrypted payload is empty');
  const decipher = createDecipheriv('aes-256-gcm', known.key, data.subarray(0, nonceBytes), {
    // Else a shorter tag would be taken, which is easier to forge (NIST SP 800-38D §5.2.1.2).
    authTagLength: tagBytes,
  });
  decipher.setAAD(known.additionalData);
  decipher.setAuthTag(data.subarray(nonceBytes, nonceBytes + tagBytes));
  // A stream cipher: all comes out of the first call, in memory of its own and not in a shared
  // pool, which would go over whole to the workflow's thread with every payload.
  const plain = decipher.update(data.subarray(nonceBytes + tagBytes));
  decipher.final();
  return proto.temporal.api.common.v1.Payload.decode(plain);
}
