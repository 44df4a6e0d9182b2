import { fileURLToPath } from 'node:url';
import type { DataConverter } from '@temporalio/common';
import { createCodec, type CodecOptions } from './codec.ts';

/** Creates the data converter that client, workers, recorder and replay share. */
export function createDataConverter(options: CodecOptions): DataConverter {
  return {
    failureConverterPath: fileURLToPath(new URL('./failure-converter.ts', import.meta.url)),
    payloadCodecs: [createCodec(options)],
  };
}
