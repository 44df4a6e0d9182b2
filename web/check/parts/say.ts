import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { CheckFacts, CheckPhrase } from '../../../api/links/visitor/pages/check-facts.ts';
import { createFormatter, type MessageValues } from '../../../domain/languages/format.ts';

/** A phrase of the page in its language. */
export type Say = (phrase: CheckPhrase, values?: MessageValues) => string;

export interface Words {
  readonly say: Say;
  /** The phrase of a family by a code of the service, or that of every other code. */
  readonly sayOf: (family: string, code: string, values?: MessageValues) => string;
}

const known = new WeakMap<CheckFacts['phrases'], Words>();

/** The phrases of a page, formatted in its language. The server makes them once per language. */
export function wordsOf(facts: Pick<CheckFacts, 'language' | 'phrases'>): Words {
  const words = known.get(facts.phrases) ?? makeWords(facts);
  known.set(facts.phrases, words);
  return words;
}

function makeWords({ language, phrases }: Pick<CheckFacts, 'language' | 'phrases'>): Words {
  const format = createFormatter(language);
  const say: Say = (phrase, values) => format(phrases[phrase], values);
  const isPhrase = (name: string): name is CheckPhrase => Object.hasOwn(phrases, name);
  return {
    say,
    sayOf(family, code, values) {
      const [named, other] = [`check.${family}.${code}`, `check.${family}.other`];
      if (isPhrase(named)) return say(named, values);
      return isPhrase(other) ? say(other, values) : code;
    },
  };
}

const none: Words = { say: (phrase) => phrase, sayOf: (_family, code) => code };

export const WordsContext = createContext<Words>(none);
export const useWords = (): Words => useContext(WordsContext);
