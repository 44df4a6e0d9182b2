import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { Words } from './phrases.ts';

const none: Words = {
  language: 'en',
  say: (phrase) => phrase,
  sayOf: (_family, code) => code,
  sayReason: ({ reason_code }) => reason_code ?? '',
};

export const WordsContext = createContext<Words>(none);
export const useWords = (): Words => useContext(WordsContext);
