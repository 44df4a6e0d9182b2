import { fileURLToPath } from 'node:url';
import type { DataConverter } from '@temporalio/common';
import { createCodec, type CodecOptions } from './codec.ts';

/** The one data converter of client, workers, recorder and replay. */
export function createDataConverter(options: CodecOptions): DataConverter {
  return {
    failureConverterPath: fileURLToPath(new URL('./failure-converter.ts', import.meta.url)),
    payloadCodecs: [createCodec(options)],
  };
}
