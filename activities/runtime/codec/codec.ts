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
  /** Whether to reject unencrypted payloads. Production rejects them, development reads them. */
  readonly failClosed: boolean;
}

/** State that a process prepares once: imported keys, and bytes that never change. */
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

/** The ring lacks the key of a payload: it was retired too early, or another deployment made it. */
export class UnknownKey extends Error {
  override readonly name = 'UnknownKey';

  constructor(keyId: string) {
    // The id comes from the payload, so it is untrusted.
    const named = ringIdForm.test(keyId) ? `key ${keyId}` : 'a key without a proper id';
    super(`a payload is encrypted under ${named}, which the ring does not have`);
  }
}

/**
 * Encrypts every payload of a workflow with AES-256-GCM, so that the server and its database see
 * ciphertext only. Namespace, key id and encoding are additional authenticated data: a payload that
 * is moved to another namespace or relabeled does not decrypt. The crypto is synchronous, because
 * that is the fastest below 8 kB.
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
    // Otherwise a shorter tag is accepted, which is easier to forge (NIST SP 800-38D §5.2.1.2).
    authTagLength: tagBytes,
  });
  decipher.setAAD(known.additionalData);
  decipher.setAuthTag(data.subarray(nonceBytes, nonceBytes + tagBytes));
  // GCM is a stream cipher: the first call returns all plaintext, in a buffer of its own. A slice
  // of the shared pool would copy the whole pool to the workflow's thread with every payload.
  const plain = decipher.update(data.subarray(nonceBytes + tagBytes));
  decipher.final();
  return proto.temporal.api.common.v1.Payload.decode(plain);
}
