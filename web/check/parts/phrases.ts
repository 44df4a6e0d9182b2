import type { CheckFacts, CheckPhrase } from '../../../api/links/visitor/pages/check-facts.ts';
import { createFormatter, type MessageValues } from '../../../domain/languages/format.ts';
import type { ShownProof } from '../session/state.ts';

/** Returns a phrase of the page in its language. */
export type Say = (phrase: CheckPhrase, values?: MessageValues) => string;

export interface Words {
  readonly language: string;
  readonly say: Say;
  /** Returns the phrase of a family for a service code, or the family's default phrase. */
  readonly sayOf: (family: string, code: string, values?: MessageValues) => string;
  /**
   * Explains why a proof was not accepted: by its code, else by its type, else in general words.
   */
  readonly sayReason: (proof: Pick<ShownProof, 'type' | 'reason_code'>) => string;
}

const known = new WeakMap<CheckFacts['phrases'], Words>();

/** Formats the phrases of a page in its language. The server creates them once per language. */
export function wordsOf(facts: Pick<CheckFacts, 'language' | 'phrases'>): Words {
  const words = known.get(facts.phrases) ?? makeWords(facts);
  known.set(facts.phrases, words);
  return words;
}

function makeWords({ language, phrases }: Pick<CheckFacts, 'language' | 'phrases'>): Words {
  const format = createFormatter(language);
  const say: Say = (phrase, values) => format(phrases[phrase], values);
  const isPhrase = (name: string): name is CheckPhrase => Object.hasOwn(phrases, name);
  const sayFirst = (family: string, codes: readonly string[], values?: MessageValues): string => {
    const names = [...codes, 'other'].map((code) => `check.${family}.${code}`);
    const phrase = names.find(isPhrase);
    return phrase ? say(phrase, values) : codes.join(' ');
  };
  return {
    language,
    say,
    sayOf: (family, code, values) => sayFirst(family, [code], values),
    sayReason: ({ type, reason_code: code }) => sayFirst('reason', code ? [code, type] : []),
  };
}
