/** A label that shows that an affidavit is not a real one. */
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

/** Returns the marks of a document, for paper and terminal; none for a real one. */
export function marksOf({ livemode, development: isDevelopment }: Marked): Mark[] {
  return [...(livemode ? [] : [test]), ...(isDevelopment ? [development] : [])];
}
