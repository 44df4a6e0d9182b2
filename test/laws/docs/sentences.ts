/** Figures of a Markdown page that a reader has to get through. */
export interface PageFigures {
  /**
   * Words outside fenced code, comments and rows of reference: a row of a table that begins with a
   * name in code is looked up, not read.
   */
  readonly words: number;
  /** The words of each sentence; cells of tables and items of lists end sentences, too. */
  readonly sentences: readonly { readonly words: number; readonly text: string }[];
}

const segmenter = new Intl.Segmenter('en', { granularity: 'sentence' });

/** Measures a page. Inline code counts as one word of a sentence. */
export function figuresOf(markdown: string): PageFigures {
  const text = markdown
    .replaceAll(/^```[^]*?^```/gm, '')
    .replaceAll(/<!--[^]*?-->/g, '')
    .replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, '$1');
  const sentences = blocksOf(text)
    .flatMap((block) => Array.from(segmenter.segment(block.replaceAll(/`[^`]+`/g, 'code'))))
    .map(({ segment }) => ({ text: segment.trim(), words: wordsIn(segment) }))
    // Labels of one or two words are no sentences.
    .filter(({ words }) => words > 2);
  return { words: wordsIn(text.replaceAll(/^\| `.*$/gm, '')), sentences };
}

/** Paragraphs, items of lists and cells of tables. Headings are left out. */
function blocksOf(text: string): string[] {
  const blocks: string[] = [''];
  for (const line of text.split('\n')) {
    const item = /^\s*(?:[-*]|\d+\.)\s+(.*)$/.exec(line)?.[1];
    if (line.trim() === '' || line.startsWith('#')) blocks.push('');
    else if (line.startsWith('|')) blocks.push(...line.slice(1, -1).split(/(?<!\\)\|/), '');
    else if (item !== undefined) blocks.push(item);
    else blocks.push(`${blocks.pop() ?? ''} ${line}`);
  }
  return blocks;
}

const wordsIn = (text: string): number =>
  text.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length;
