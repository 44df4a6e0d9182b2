import { fileURLToPath } from 'node:url';
import type { DataConverter } from '@temporalio/common';
import { createCodec, type KeyRing } from './codec.ts';

/**
 * The one data converter of client, workers, recorder and replay.
 * @param secret 32 bytes derived from the platform's master secret for this purpose
 */
export function createDataConverter(
  secret: Uint8Array,
  namespace: string,
  failClosed: boolean,
  retired: ReadonlyMap<string, Uint8Array> = new Map(),
): DataConverter {
  const ring: KeyRing = {
    currentId: keyId,
    keys: new Map([...retired, [keyId, secret]]),
  };
  return {
    failureConverterPath: fileURLToPath(new URL('./failure-converter.ts', import.meta.url)),
    payloadCodecs: [createCodec({ ring, namespace, failClosed })],
  };
}

const keyId = 'k1';
