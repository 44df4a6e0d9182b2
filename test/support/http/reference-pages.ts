import { operations } from '../../../api/docs/operations.ts';
import { call } from './client.ts';

interface ReferencePages {
  readonly paths: readonly string[];
  /** The text of all pages, concatenated. */
  readonly text: string;
  /** The text of the pages of operation families only. */
  readonly families: string;
}

let read: Promise<ReferencePages> | null = null;

/** The pages that the overview of the reference and its list of schemas link to. */
export function referencePages(): Promise<ReferencePages> {
  read ??= readPages();
  return read;
}

async function readPages(): Promise<ReferencePages> {
  const starts = ['/docs/reference', '/docs/reference/schemas'];
  const found = new Set(starts);
  for (const start of starts) {
    const { text } = await call('GET', start);
    for (const [, path = ''] of text.matchAll(/href="(\/docs\/reference\/[^"#]+)/g))
      found.add(path);
  }
  const paths = [...found];
  const texts = new Map<string, string>();
  for (const path of paths) texts.set(path, (await call('GET', path)).text);
  const tags = new Set(operations().map(({ tag }) => `/docs/reference/${tag}`));
  return {
    paths,
    text: [...texts.values()].join('\n'),
    families: [...texts].flatMap(([path, text]) => (tags.has(path) ? [text] : [])).join('\n'),
  };
}
