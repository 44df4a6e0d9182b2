import MiniSearch from 'minisearch';
import { failureAnswers } from '../../http/problem/failure-answers.ts';
import { operations } from '../operations.ts';
import { sectionsOf } from './markdown.ts';
import { documents } from './pages.ts';

/** One result of a search. */
export interface SearchResult {
  readonly url: string;
  readonly title: string;
  /** The page or the part of the reference that the result belongs to. */
  readonly place: string;
  readonly text: string;
}

interface Entry extends SearchResult {
  readonly id: number;
}

const resultsMax = 20;
const textLengthMax = 220;

let builtIndex: MiniSearch<Entry> | null = null;

/** Searches the documents, operations and failure codes. Results are ordered by relevance. */
export function searchDocuments(query: string): SearchResult[] {
  const built = (builtIndex ??= buildIndex());
  const words = wordsOf(query).filter((word) => !stopWords.has(word.toLowerCase()));
  const search = (combineWith: 'AND' | 'OR') =>
    built.search(words.join(' '), {
      prefix: true,
      // A short word has many neighbors: `logo` is not `log`.
      fuzzy: (word) => (word.length > 4 ? 0.2 : false),
      boost: { title: 4, place: 2 },
      combineWith,
    });
  const found = search('AND');
  return (found.length > 0 ? found : search('OR'))
    .slice(0, resultsMax)
    .map(({ url, title, place, text }) => ({ url, title, place, text: shortened(text) }));
}

const wordsOf = (text: string): string[] =>
  text.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== '');

/** Words of a question that nearly every section has. */
const stopWords = new Set(
  'a an and are can do does for from how i in is it my of on or the to we what when with you'.split(
    ' ',
  ),
);

function buildIndex(): MiniSearch<Entry> {
  const built = new MiniSearch<Entry>({
    fields: ['title', 'place', 'text'],
    storeFields: ['url', 'title', 'place', 'text'],
    // Names such as trust_check.passed and links.create are found by each of their words.
    tokenize: wordsOf,
  });
  const entries = [...pageEntries(), ...operationEntries(), ...failureEntries()];
  built.addAll(entries.map((entry, id) => ({ ...entry, id })));
  return built;
}

function pageEntries(): SearchResult[] {
  return [...documents().pages.values()].flatMap((page) =>
    sectionsOf(page).map(({ heading, anchor, text }) => ({
      url: `/docs/${page.path}${anchor === null ? '' : `#${anchor}`}`,
      title: heading,
      place: page.title,
      text,
    })),
  );
}

function operationEntries(): SearchResult[] {
  return operations().map(({ id, tag, method, path, summary, description }) => ({
    url: `/docs/reference/${tag}#${id}`,
    title: id,
    place: 'API reference',
    text: `${method.toUpperCase()} ${path} ${summary}. ${description}`,
  }));
}

function failureEntries(): SearchResult[] {
  return Object.entries(failureAnswers).map(([code, { status, title }]) => ({
    url: `/docs/errors/${code}`,
    title: code,
    place: 'Failure codes',
    text: `${status} ${title}`,
  }));
}

function shortened(text: string): string {
  if (text.length <= textLengthMax) return text;
  return `${text.slice(0, text.lastIndexOf(' ', textLengthMax))} …`;
}
