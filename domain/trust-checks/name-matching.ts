import { transliterations } from './transliterations.ts';

/** A word of a name: for each letter, the spellings that a passport may use. */
type Word = readonly (readonly string[])[];

/**
 * Words that may be missing. A common first and last name do not identify a person with two further
 * names between them.
 */
const missingMax = 1;
/** Characters inside a word that are dropped (ICAO 9303-3 §4.6); some replace them with a gap. */
const dropped = /['’‘ʼ`´·.]/gu;
const gaps = ['', ' '] as const;
/** Separate two names of one person; some omit them (ANNALENA for Anna-Lena). */
const hyphens = /[-‐‑]/gu;
/** Letters of one name times those of the other: 39 of a zone times 200, and a few more. */
export const letterPairsMax = 8_000;
const diaeresis = '\u0308';

/**
 * Whether two names agree: every word of the shorter one occurs in the longer one, in any order, in
 * a spelling that a passport may use (ICAO 9303-3 §6): JUERGEN and JURGEN for Jürgen, OCONNOR for
 * O’Connor, ANNA MARIA for Anna-María. Some documents omit a name, so one word may be missing. But
 * a single word must be the whole name.
 * @returns undefined if undecidable:
 * - names that agree except for two or more words (GURPREET SINGH for Gurpreet Harpreet Kaur
 *   Singh);
 * - names that do not agree and have a letter without a known transliteration;
 * - names that would agree with other word breaks or a shortened word (MARYANN for Mary Ann, J
 *   for John, ST for Saint);
 * - names so long that comparing them would block other requests
 */
export function namesMatch(one: string, other: string): boolean | undefined {
  const both = [wordsOf(one, apart), wordsOf(other, apart)] as const;
  if (areTooLong(one, other)) return one === other || undefined;
  const lengthMin = Math.min(both[0].length, both[1].length);
  if (lengthMin === 0) return false;
  const missing = readings(one, other).flatMap(([words, others]) => {
    const [shorter = [], longer = []] = [words, others].sort((a, b) => a.length - b.length);
    const isPart = lengthMin > 1 && shorter.length > 1;
    const agree = (isPart || shorter.length === longer.length) && standIn(shorter, longer);
    return agree ? [longer.length - shorter.length] : [];
  });
  if (missing.length > 0) return Math.min(...missing) <= missingMax || undefined;
  const isDoubtful = !both.flat(2).every(isSpelled) || mayAgree(both);
  return isDoubtful ? undefined : false;
}

/** Words that print shortens, with their full form. */
const shortened = new Map([
  ['ST', 'SAINT'],
  ['STE', 'SAINTE'],
]);
/** Names with more words are compared only as they are, and as one word each. */
const wordsMax = 8;

/**
 * Whether two names could be different spellings of one name. True does not prove that they are.
 */
function mayAgree([words, others]: readonly [readonly Word[], readonly Word[]]): boolean {
  if (canBeSame(words.flat(), others.flat())) return true;
  if (words.length === 1 && others.length === 1) return false;
  return [words, ...joined(words)].some((each) =>
    [others, ...(each === words ? joined(others) : [])].some((one) => {
      const [shorter = [], longer = []] = [each, one].sort((a, b) => a.length - b.length);
      return (
        (shorter.length > 1 || longer.length === 1) && standIn(shorter, longer, mayStandForOther)
      );
    }),
  );
}

/** Returns the name in every variant in which adjacent words are joined into one. */
function joined(words: readonly Word[]): (readonly Word[])[] {
  if (words.length > wordsMax) return [];
  return words.flatMap((_, from) =>
    words
      .slice(from + 2)
      .map((__, more) => from + 2 + more)
      .concat(from + 1 < words.length ? [words.length] : [])
      .map((to) => [...words.slice(0, from), words.slice(from, to).flat(), ...words.slice(to)]),
  );
}

const mayStandForOther = (one: Word, other: Word): boolean =>
  canBeSame(one, other) || mayStandFor(one, other) || mayStandFor(other, one);

function mayStandFor(short: Word, long: Word): boolean {
  if (short.length === 1) return long.length > 1 && canBeSame(short, long.slice(0, 1));
  const whole = shortened.get(short.map(([letter]) => letter).join(''));
  return (
    whole !== undefined &&
    canBeSame(
      Array.from(whole, (letter) => [letter]),
      long,
    )
  );
}

/** Like `namesMatch`, but a single word is enough and a long name must be identical. */
export function namePartsMatch(one: string, other: string): boolean {
  if (areTooLong(one, other)) return one === other;
  return readings(one, other).some(([words, others]) => {
    const [shorter = [], longer = []] = [words, others].sort((a, b) => a.length - b.length);
    return shorter.length > 0 && standIn(shorter, longer);
  });
}

/** Whether the names share a word. */
export function shareNameWord(one: string, other: string): boolean {
  if (areTooLong(one, other)) return false;
  return readings(one, other).some(([words, others]) =>
    words.some((word) => others.some((each) => canBeSame(word, each))),
  );
}

function areTooLong(one: string, other: string): boolean {
  const [letters, otherLetters] = [one, other].map((name) => wordsOf(name, apart).flat().length);
  return (letters ?? 0) * (otherLetters ?? 0) > letterPairsMax;
}

/** Returns the words of both names, for each way to read dropped characters. */
const readings = (one: string, other: string): (readonly [Word[], Word[]])[] =>
  gapsIn(one).flatMap((gap) =>
    gapsIn(other).map((otherGap) => [wordsOf(one, gap), wordsOf(other, otherGap)] as const),
  );

/** Whether a zone can spell the letter: directly, or by a table. */
const isSpelled = (spellings: readonly string[]): boolean =>
  spellings.every((spelling) => /^[A-Z0-9]*$/.test(spelling));

/** Returns the replacements for dropped characters; only one if the name has none of them. */
function gapsIn(name: string): (readonly [Gap, Gap])[] {
  const text = name.normalize('NFKC');
  const forHyphens = text.search(hyphens) === -1 ? ([' '] as const) : gaps;
  const forDropped = text.search(dropped) === -1 ? ([''] as const) : gaps;
  return forDropped.flatMap((gap) => forHyphens.map((hyphen) => [gap, hyphen] as const));
}

type Gap = (typeof gaps)[number];
const apart: readonly [Gap, Gap] = ['', ' '];

/** Whether each word matches a different word of the other name (augmenting paths, after Kuhn). */
function standIn(
  words: readonly Word[],
  others: readonly Word[],
  isFit: (one: Word, other: Word) => boolean = canBeSame,
): boolean {
  const fits = words.map((word) => others.map((other) => isFit(word, other)));
  const holders = new Map<number, number>();
  const place = (word: number, seen: Set<number>): boolean =>
    others.some((_, other) => {
      if (!fits[word]?.[other] || seen.has(other)) return false;
      seen.add(other);
      const holder = holders.get(other);
      if (holder !== undefined && !place(holder, seen)) return false;
      holders.set(other, word);
      return true;
    });
  return words.every((_, word) => place(word, new Set()));
}

/** Read positions in two words; `ahead` is the text read of one and not yet of the other. */
interface Reading {
  readonly at: readonly [number, number];
  readonly ahead: string;
  readonly isFirstAhead: boolean;
}

/** Whether two words share a spelling, without generating all spellings of either. */
function canBeSame(one: Word, other: Word): boolean {
  const seen = new Set<string>();
  const left: Reading[] = [{ at: [0, 0], ahead: '', isFirstAhead: false }];
  for (let reading = left.pop(); reading; reading = left.pop()) {
    const { at, ahead, isFirstAhead } = reading;
    const key = `${at.join()} ${ahead} ${isFirstAhead}`;
    if (seen.has(key)) continue;
    seen.add(key);
    if (at[0] === one.length && at[1] === other.length && ahead === '') return true;
    const takesFirst = ahead === '' ? at[0] < one.length : !isFirstAhead;
    for (const option of (takesFirst ? one[at[0]] : other[at[1]]) ?? []) {
      if (!option.startsWith(ahead) && !ahead.startsWith(option)) continue;
      left.push({
        at: takesFirst ? [at[0] + 1, at[1]] : [at[0], at[1] + 1],
        ahead:
          option.length > ahead.length ? option.slice(ahead.length) : ahead.slice(option.length),
        isFirstAhead: option.length > ahead.length ? takesFirst : isFirstAhead,
      });
    }
  }
  return false;
}

function wordsOf(name: string, [gap, hyphen]: readonly [Gap, Gap]): Word[] {
  return name
    .normalize('NFKC')
    .replaceAll(dropped, gap)
    .replaceAll(hyphens, hyphen)
    .toUpperCase()
    .normalize('NFC')
    .split(/[^\p{L}\p{M}\p{N}]+/u)
    .filter((word) => /[\p{L}\p{N}]/u.test(word))
    .map(readWord);
}

function readWord(word: string): Word {
  const letters = word.normalize('NFD').match(/\P{M}\p{M}*/gu) ?? [];
  const read: (readonly string[])[] = [];
  for (let index = 0; index < letters.length; index += 1) {
    const [letter = '', next = ''] = letters.slice(index, index + 2);
    // An accent on the first of two vowels, or a diaeresis on the second, separates them.
    const pair = next.includes(diaeresis) ? undefined : transliterations.get(letter + bare(next));
    if (pair && next !== '') index += 1;
    const single = transliterations.get(letter.normalize('NFC'));
    read.push((next && pair) || (single ?? transliterations.get(bare(letter)) ?? [bare(letter)]));
  }
  return read;
}

/** Removes the marks above or below a letter. */
const bare = (letter: string): string => letter.replaceAll(/\p{M}/gu, '');
