import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { prepareZXingModule, purgeZXingModule, readBarcodes } from 'zxing-wasm/reader';
import { rotated, shrunk, type Grey } from '../../../domain/images/grey.ts';
import type { Spend } from './budget.ts';

const require = createRequire(import.meta.url);
/** The reader follows bars up to three degrees off, in each quarter; these cover the rest. */
const turns = [0, 5, -5, 10, -10, 15, -15];
const sideMaxes = [1600, 1000];

let opened: Promise<void> | null = null;

/** The decoder from its package: nothing is fetched. */
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
 * What the PDF417 barcode of a photograph holds (ISO/IEC 15438), one character a byte; null when
 * none is read in so many tries. `spend` is asked before each.
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

/** One that did not open or that trapped is not asked again: the next try opens another. */
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

/** As the decoder takes images, which is as browsers have them. */
function coloured({ data, width, height }: Grey) {
  const pixels = new Uint32Array(data.length);
  // Three channels alike, in either order of bytes; the fourth says nothing to the decoder.
  for (let index = 0; index < data.length; index += 1) {
    pixels[index] = (data[index] ?? 0) * 0x01_01_01_01;
  }
  return { data: new Uint8ClampedArray(pixels.buffer), width, height, colorSpace: 'srgb' as const };
}
