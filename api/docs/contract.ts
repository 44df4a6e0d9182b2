import { z } from 'zod';
import { contract } from '../http/contract.ts';

const document = {
  kind: 'page',
  types: ['application/json'],
  description: 'The document',
} as const;
const page = { kind: 'page', types: ['text/html'], description: 'The page' } as const;
const pageOrMarkdown = {
  kind: 'page',
  types: ['text/html', 'text/markdown'],
  description: 'The document',
} as const;
const pageName = z.string().max(64).describe('The name of the page');
const open = { method: 'get', auth: ['public'] } as const;

/** What a reader is given: the interface as documents for programs and as pages for people. */
export const docsContracts = {
  openapi: contract({
    ...open,
    id: 'docs.openapi',
    path: '/openapi.json',
    summary: 'Get this interface as an OpenAPI 3.1 document',
    request: {},
    replies: { 200: document },
    errors: [],
  }),
  asyncapi: contract({
    ...open,
    id: 'docs.asyncapi',
    path: '/asyncapi.json',
    summary: 'Get the events of sockets and webhooks as an AsyncAPI 3.0 document',
    request: {},
    replies: { 200: document },
    errors: [],
  }),
  root: contract({
    ...open,
    id: 'docs.root',
    path: '/',
    summary: 'Redirect to the documents',
    request: {},
    replies: { 302: { kind: 'redirect', description: 'Redirect to the documents' } },
    errors: [],
    hidden: true,
  }),
  home: contract({
    ...open,
    id: 'docs.home',
    path: '/docs',
    summary: 'Get the first document as a page',
    request: {},
    replies: { 200: page },
    errors: [],
    hidden: true,
  }),
  page: contract({
    ...open,
    id: 'docs.page',
    path: '/docs/{page}',
    summary: 'Get a document as a page, or as Markdown with the ending .md',
    unknownFields: 'ignored',
    request: { path: z.object({ page: pageName }) },
    replies: { 200: pageOrMarkdown },
    errors: ['not_found'],
    hidden: true,
  }),
  sectionPage: contract({
    ...open,
    id: 'docs.sectionPage',
    path: '/docs/{section}/{page}',
    summary: 'Get a document of a section as a page, or as Markdown with the ending .md',
    unknownFields: 'ignored',
    request: { path: z.object({ section: pageName, page: pageName }) },
    replies: { 200: pageOrMarkdown },
    errors: ['not_found'],
    hidden: true,
  }),
  search: contract({
    ...open,
    id: 'docs.search',
    path: '/docs/search',
    summary: 'Search the documents',
    unknownFields: 'ignored',
    request: {
      query: z.object({ q: z.string().max(200).optional().describe('Words to search for') }),
    },
    replies: { 200: page },
    errors: [],
    hidden: true,
  }),
  reference: contract({
    ...open,
    id: 'docs.reference',
    path: '/docs/reference',
    summary: 'Get the reference of this interface as a page',
    request: {},
    replies: { 200: page },
    errors: [],
  }),
  referencePage: contract({
    ...open,
    id: 'docs.referencePage',
    path: '/docs/reference/{name}',
    summary: 'Get one part of the reference: a family of operations, a schema, or codes',
    unknownFields: 'ignored',
    request: { path: z.object({ name: pageName }) },
    replies: { 200: page },
    errors: ['not_found'],
    hidden: true,
  }),
  failure: contract({
    ...open,
    id: 'docs.failure',
    path: '/docs/errors/{code}',
    summary: 'Explain a failure code and its remedy',
    unknownFields: 'ignored',
    request: { path: z.object({ code: z.string().max(64).describe('The `code` of a problem') }) },
    replies: { 200: page },
    errors: ['not_found'],
  }),
  llms: contract({
    ...open,
    id: 'docs.llms',
    path: '/llms.txt',
    summary: 'Get an index of the documents for language models',
    request: {},
    replies: { 200: { kind: 'page', types: ['text/plain'], description: 'The index' } },
    errors: [],
  }),
} as const;
