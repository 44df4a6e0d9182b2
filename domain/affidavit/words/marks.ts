import type { AffidavitContent } from '../content.ts';

/** What keeps an affidavit from being taken for the real thing. */
export interface Mark {
  readonly name: 'TEST' | 'DEVELOPMENT';
  readonly words: string;
}

const development: Mark = {
  name: 'DEVELOPMENT',
  words: 'the service accepts simulated evidence, which proves nothing about a person',
};
const test: Mark = { name: 'TEST', words: 'this document proves nothing' };

/** The marks of an affidavit, on paper as on a terminal; none on a real one. */
export function marksOf(content: Pick<AffidavitContent, 'livemode' | 'development'>): Mark[] {
  return [...(content.livemode ? [] : [test]), ...(content.development ? [development] : [])];
}
