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

interface Marked {
  readonly livemode: boolean;
  readonly development: boolean;
}

/** The marks of a document, on paper and on a terminal; none on a real one. */
export function marksOf({ livemode, development: isDevelopment }: Marked): Mark[] {
  return [...(livemode ? [] : [test]), ...(isDevelopment ? [development] : [])];
}
