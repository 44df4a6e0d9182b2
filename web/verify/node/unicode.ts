/** A letter or sign that came with each version, the newest first. */
const assigned: readonly (readonly [version: string, sign: string])[] = [
  ['17.0', '\u{88f}'],
  ['16.0', '\u{1c89}'],
  ['15.1', '\u{2ffc}'],
  ['15.0', '\u{1df25}'],
  ['14.0', '\u{870}'],
];

/**
 * The version of Unicode this engine knows, told by what it takes for assigned: pages depend on it,
 * and one that knows another version must not call them changed.
 */
function versionOf(): string {
  const known = assigned.find(([, sign]) => !/\p{Cn}/u.test(sign));
  return known?.[0] ?? 'of before';
}

export const unicodeVersion = versionOf();
