import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { prepareZXingModule, purgeZXingModule, readBarcodes } from 'zxing-wasm/reader';
import { rotated, shrunk, type Grey } from '../../../domain/images/grey.ts';
import type { Spend } from './budget.ts';

const require = createRequire(import.meta.url);
/**
 * The reader tolerates up to three degrees of tilt, in each quarter turn. These turns cover more.
 */
const turns = [0, 5, -5, 10, -10, 15, -15];
const sideMaxes = [1600, 1000];

let opened: Promise<void> | null = null;

/** Loads the decoder from its package, without network. */
function openDecoder(): Promise<void> {
  opened ??= (async () => {
    const wasm = readFileSync(require.resolve('zxing-wasm/reader/zxing_reader.wasm'));
    await prepareZXingModule({
      overrides: { wasmBinary: new Uint8Array(wasm).buffer },
      fireImmediately: true,
    });
  })();
  return opened;
}

/**
 * Returns the content of the PDF417 barcode in a photograph (ISO/IEC 15438), one character per
 * byte; null when no try reads one.
 * @param spend called before each try
 */
export async function findBarcode(
  image: Grey,
  spend: Spend,
  triesMax = turns.length * sideMaxes.length,
): Promise<string | null> {
  const tries = sideMaxes.flatMap((sideMax) => turns.map((degrees) => ({ sideMax, degrees })));
  for (const { sideMax, degrees } of tries.slice(0, triesMax)) {
    spend();
    const { image: small } = shrunk(image, sideMax);
    const side = degrees === 0 ? small : rotated(small, degrees);
    const [code] = (await decode(side)).filter(({ isValid }) => isValid);
    if (code) return Buffer.from(code.bytes).toString('latin1');
  }
  return null;
}

/** Discards a decoder that fails to load or traps. The next try loads a new one. */
async function decode(image: Grey) {
  try {
    await openDecoder();
    return await readBarcodes(coloured(image), {
      formats: ['PDF417'],
      tryHarder: true,
      tryRotate: true,
      tryInvert: false,
      maxNumberOfSymbols: 1,
    });
  } catch (error) {
    opened = null;
    purgeZXingModule();
    throw error;
  }
}

/** Converts to RGBA, the decoder's input format. */
function coloured({ data, width, height }: Grey) {
  const pixels = new Uint32Array(data.length);
  // Equal channels are right in either byte order. The decoder ignores alpha.
  for (let index = 0; index < data.length; index += 1) {
    pixels[index] = (data[index] ?? 0) * 0x01_01_01_01;
  }
  return { data: new Uint8ClampedArray(pixels.buffer), width, height, colorSpace: 'srgb' as const };
}
