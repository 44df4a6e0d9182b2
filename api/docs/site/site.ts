import { Failure } from '../../../workflows/failures.ts';
import { handler } from '../../http/contract.ts';
import { html, type Markup } from '../../http/html/markup.ts';
import type { Page } from '../../http/html/page.ts';
import { docsContracts } from '../contract.ts';
import { documentPage } from './page.ts';
import { renderPage } from './markdown.ts';
import { documents, type DocPage } from './pages.ts';
import { searchDocuments, type SearchResult } from './search-index.ts';

const homePath = 'quick-start';
const rendered = new Map<string, Page>();

/** The first page of the documents. */
export const home = handler(docsContracts.home)(async () => answer(homePath));

export const page = handler(docsContracts.page)(async ({ path }) => answer(path.page));

export const sectionPage = handler(docsContracts.sectionPage)(async ({ path }) =>
  answer(`${path.section}/${path.page}`),
);

/**
 * Answers with a document as a page, or as Markdown if the path ends in `.md`.
 * @throws Failure `not_found`
 */
function answer(path: string) {
  const isMarkdown = path.endsWith('.md');
  const found = documents().pages.get(isMarkdown ? path.slice(0, -'.md'.length) : path);
  if (!found) throw new Failure('not_found');
  return { status: 200, ...(isMarkdown ? markdownOf(found) : pageOf(found)) } as const;
}

function markdownOf({ markdown }: DocPage): Page {
  return {
    type: 'text/markdown; charset=utf-8',
    content: markdown,
    headers: { 'Cache-Control': 'public, max-age=300' },
  };
}

function pageOf(found: DocPage): Page {
  const known = rendered.get(found.path);
  if (known) return known;
  const { path, title } = found;
  const made = documentPage({ title, path, body: html`<main>${renderPage(found)}</main>` });
  rendered.set(path, made);
  return made;
}

export const search = handler(docsContracts.search)(async ({ query: { q = '' } }) => {
  const words = q.trim();
  const results = words === '' ? [] : searchDocuments(words);
  const body = html`<main>
    <h1>Search</h1>
    <p role="status">${summaryOf(words, results.length)}</p>
    <ol class="results">
      ${results.map(resultItem)}
    </ol>
  </main>`;
  return { status: 200, ...documentPage({ title: 'Search', path: 'search', body, query: words }) };
});

function summaryOf(words: string, count: number): string {
  if (words === '') return 'Type words into the search field.';
  if (count === 0) return `Nothing found for “${words}”. Try fewer or other words.`;
  return `Results for “${words}”: ${count}`;
}

function resultItem({ url, title, place, text }: SearchResult): Markup {
  return html`<li>
    <a href="${url}">${title}</a> <span class="soft">${place}</span>
    <p>${text}</p>
  </li>`;
}
