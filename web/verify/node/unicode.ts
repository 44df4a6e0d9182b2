/** One character that each Unicode version added, newest version first. */
const assigned: readonly (readonly [version: string, sign: string])[] = [
  ['17.0', '\u{88f}'],
  ['16.0', '\u{1c89}'],
  ['15.1', '\u{2ffc}'],
  ['15.0', '\u{1df25}'],
  ['14.0', '\u{870}'],
];

/**
 * Returns the Unicode version of this engine, detected by its assigned characters. The layout of
 * pages depends on it. An engine with another version must not report the pages as changed.
 */
function versionOf(): string {
  const known = assigned.find(([, sign]) => !/\p{Cn}/u.test(sign));
  return known?.[0] ?? 'of before';
}

export const unicodeVersion = versionOf();
