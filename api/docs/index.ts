import { family, handler } from '../http/contract.ts';
import { docsContracts } from './contract.ts';
import { checkedInDocument, type DocumentName } from './documents.ts';
import { failure } from './failure.ts';
import { llms } from './llms.ts';
import { reference, referencePage } from './reference/reference.ts';
import { home, page, search, sectionPage } from './site/site.ts';

function documentAnswer(name: DocumentName) {
  const type = 'application/json; charset=utf-8';
  return { status: 200, type, content: checkedInDocument(name) } as const;
}

const openapi = handler(docsContracts.openapi)(async () => documentAnswer('openapi.json'));
const asyncapi = handler(docsContracts.asyncapi)(async () => documentAnswer('asyncapi.json'));
const root = handler(docsContracts.root)(async () => ({ status: 302, location: '/docs' }));

export const docs = family('docs', docsContracts, {
  openapi,
  asyncapi,
  root,
  home,
  page,
  sectionPage,
  search,
  reference,
  referencePage,
  failure,
  llms,
});
