import bidiFactory, { type Bidi } from 'bidi-js';

const bidi = createBidi();

/** The package's types declare a module with a `default`; Node returns the function itself. */
function createBidi(): Bidi {
  const factory: unknown = bidiFactory;
  if (typeof factory !== 'function') throw new Error('bidi-js exports no function');
  return factory();
}

/** Blocks of Hebrew and Arabic: letters, numbers, presentation forms. */
const rightToLeftBlocks = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff]/;
export const isJoiner = (char: string): boolean => char === '\u200c' || char === '\u200d';

/**
 * Returns the level of each character of a left-to-right line (Unicode bidirectional algorithm, UAX
 * 9): even from left to right, odd from right to left.
 * @param chars one code point each; direction marks are already replaced by text
 */
export function levelsOf(chars: readonly string[]): number[] {
  const text = chars.join('');
  // Almost all text has none of these, and levels cost more than the rest of a line.
  if (!rightToLeftBlocks.test(text)) return chars.map(() => 0);
  const { levels } = bidi.getEmbeddingLevels(text, 'ltr');
  const found: number[] = [];
  let at = 0;
  for (const char of chars) {
    // A joiner shapes the letter before it, also at the end of a line (UAX 9, section 5.3).
    found.push(isJoiner(char) ? (found.at(-1) ?? 0) : (levels[at] ?? 0));
    at += char.length;
  }
  return found;
}

/** Returns the mirrored sign for right-to-left text (UAX 9, L4): `(` for `)`. */
export const mirrored = (char: string): string => bidi.getMirroredCharacter(char) ?? char;
