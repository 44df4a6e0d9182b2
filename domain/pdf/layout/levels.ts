/**
 * The Unicode bidirectional algorithm (UAX 9) for a line that begins on the left and holds no
 * character that sets a direction: those stand as their code points, `[U+202E]`.
 */

/** Bidirectional classes (UAX 9, table 4), as far as such a line has any. */
type Class = 'L' | 'R' | 'AL' | 'EN' | 'AN' | 'ES' | 'ET' | 'CS' | 'NSM' | 'ON';

/** The first that fits counts; all else is a letter, from left to right. */
const classes: readonly (readonly [Class, RegExp])[] = [
  ['NSM', /[\p{Mn}\p{Me}\u200c\u200d]/u],
  ['EN', /[\d\u00b2\u00b3\u00b9\u06f0-\u06f9\u2070\u2074-\u2079\u2080-\u2089\uff10-\uff19]/],
  ['AN', /[\u0600-\u0605\u0660-\u0669\u066b\u066c\u06dd\u08e2]/],
  ['ES', /[+\u002d\u207a\u207b\u208a\u208b\u2212\ufe62\ufe63\uff0b\uff0d]/],
  ['AL', /[\u060b\ufdfc]/],
  ['ET', /[#%\p{Sc}\u00b0\u00b1\u0609\u060a\u066a\u2030-\u2034\ufe5f\ufe6a\uff03\uff05]/u],
  ['CS', /[,./:\u00a0\u060c\u202f\u2044\ufe50\ufe52\ufe55\uff0c\uff0e\uff0f\uff1a]/],
  ['R', /\p{Script=Hebrew}/u],
  ['AL', /[\p{Script=Arabic}\u061b\u061e\u061f\u0640]/u],
  ['ON', /[\p{Z}\p{P}\p{S}\p{No}]/u],
];

/** Blocks of Hebrew and Arabic: letters, numbers, forms of presentation. */
const fromTheRight = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff]/;

/** Letters, which tell what numbers after them are. */
const strong: ReadonlySet<Class> = new Set(['L', 'R', 'AL']);
const bracketPairs = '() [] {} （） ［］ ｛｝ 〈〉 《》 「」 『』 【】 〔〕';
const closerOf: Readonly<Record<string, string>> = Object.fromEntries(
  bracketPairs.split(' ').map(([opener = '', closer = '']) => [opener, closer]),
);
/** Brackets that are open at once (UAX 9, BD16). */
const openMax = 63;

const classOf = (char: string): Class => classes.find(([, form]) => form.test(char))?.[0] ?? 'L';

/**
 * The level of each character of a line: even from left to right, odd from right to left.
 * @param chars one code point each
 */
export function levelsOf(chars: readonly string[]): number[] {
  // Nearly all text has none of these, and classes cost more than the rest of a line.
  if (!fromTheRight.test(chars.join(''))) return chars.map(() => 0);
  const found = chars.map(classOf);
  attachMarks(found);
  judgeNumbers(found);
  judgeBrackets(found, chars);
  judgeBetween(found);
  return found.map((one) => (one === 'R' ? 1 : one === 'L' ? 0 : 2));
}

/** W1: a mark is of the class of what it is on. */
function attachMarks(found: Class[]): void {
  for (const [at, one] of found.entries()) if (one === 'NSM') found[at] = found[at - 1] ?? 'L';
}

/** W2 to W7: what numbers are by the letter before them, and what belongs to a number. */
function judgeNumbers(found: Class[]): void {
  let last: Class = 'L';
  for (const [at, one] of found.entries()) {
    if (strong.has(one)) last = one;
    else if (one === 'EN' && last === 'AL') found[at] = 'AN';
  }
  for (const [at, one] of found.entries()) {
    const [before, after] = [found[at - 1], found[at + 1]];
    if (one === 'AL') found[at] = 'R';
    else if (before === after && before === 'EN' && (one === 'ES' || one === 'CS'))
      found[at] = 'EN';
    else if (before === after && before === 'AN' && one === 'CS') found[at] = 'AN';
  }
  judgeSigns(found);
  last = 'L';
  for (const [at, one] of found.entries()) {
    if (strong.has(one)) last = one;
    else if (one === 'EN' && last === 'L') found[at] = 'L';
  }
}

/** W5 and W6: signs beside a European number are part of it, others are nothing special. */
function judgeSigns(found: Class[]): void {
  for (let at = 0; at < found.length; at += 1) {
    if (found[at] !== 'ET') continue;
    let end = at;
    while (found[end] === 'ET') end += 1;
    const isOfNumber = found[at - 1] === 'EN' || found[end] === 'EN';
    found.fill(isOfNumber ? 'EN' : 'ON', at, end);
    at = end - 1;
  }
  for (const [at, one] of found.entries()) if (one === 'ES' || one === 'CS') found[at] = 'ON';
}

/** N0: the brackets of a pair go one way, that of what is in them or else of what is before. */
function judgeBrackets(found: Class[], chars: readonly string[]): void {
  for (const [opener, closer] of pairsIn(found, chars)) {
    const inside = new Set(found.slice(opener + 1, closer).map(directionOf));
    if (!inside.has('L') && !inside.has('R')) continue;
    const direction = inside.has('L') ? 'L' : directionBefore(found, opener);
    found[opener] = direction;
    found[closer] = direction;
  }
}

function directionBefore(found: readonly Class[], opener: number): 'L' | 'R' {
  for (let at = opener - 1; at >= 0; at -= 1) {
    const direction = directionOf(found[at] ?? 'ON');
    if (direction) return direction;
  }
  return 'L';
}

/** Numbers count as letters from right to left (UAX 9, N0 and N1). */
const directionOf = (one: Class): 'L' | 'R' | null =>
  one === 'L' ? 'L' : one === 'R' || one === 'EN' || one === 'AN' ? 'R' : null;

/** BD16: pairs of brackets, in the order of those that open. */
function pairsIn(found: readonly Class[], chars: readonly string[]): [number, number][] {
  const open: { readonly closer: string; readonly at: number }[] = [];
  const pairs: [number, number][] = [];
  for (const [at, char] of chars.entries()) {
    if (found[at] !== 'ON') continue;
    const closer = closerOf[char];
    if (closer !== undefined) {
      if (open.length === openMax) break;
      open.push({ closer, at });
      continue;
    }
    const index = open.findLastIndex((one) => one.closer === char);
    const opener = open[index];
    if (!opener) continue;
    pairs.push([opener.at, at]);
    open.length = index;
  }
  return pairs.toSorted(([one], [other]) => one - other);
}

/** N1 and N2: what is between two of one direction has that, else that of the line. */
function judgeBetween(found: Class[]): void {
  for (let at = 0; at < found.length; at += 1) {
    if (found[at] !== 'ON') continue;
    let end = at;
    while (found[end] === 'ON') end += 1;
    const before = directionOf(found[at - 1] ?? 'L');
    const after = directionOf(found[end] ?? 'L');
    found.fill(before === 'R' && after === 'R' ? 'R' : 'L', at, end);
    at = end - 1;
  }
}
