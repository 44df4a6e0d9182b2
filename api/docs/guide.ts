import { readFileSync } from 'node:fs';
import { Failure } from '../../workflows/failures.ts';
import { handler } from '../http/contract.ts';
import { docsContracts } from './contract.ts';

/** Those of `docs/guides/` that are for callers; a test runs what is in them. */
export const guidePages = ['api.md', 'signing-in.md'] as const;
const texts = new Map<string, string>();

/** The guide to this interface, as it stands in the repository. */
export const guide = handler(docsContracts.guide)(async ({ path }) => {
  const page = guidePages.find((name) => name === path.page);
  if (!page) throw new Failure('not_found');
  const text =
    texts.get(page) ?? readFileSync(new URL(`../../docs/guides/${page}`, import.meta.url), 'utf8');
  texts.set(page, text);
  return {
    status: 200,
    type: 'text/markdown; charset=utf-8',
    content: text,
    headers: { 'Cache-Control': 'public, max-age=300' },
  };
});
