import { z } from 'zod';
import { contract } from '../http/contract.ts';

const document = {
  kind: 'page',
  types: ['application/json'],
  description: 'The document',
} as const;
const page = { kind: 'page', types: ['text/html'], description: 'The page' } as const;
const open = { method: 'get', auth: ['public'] } as const;

/** What a reader is given: the interface as documents for programs and as pages for people. */
export const docsContracts = {
  openapi: contract({
    ...open,
    id: 'docs.openapi',
    path: '/openapi.json',
    summary: 'This interface as an OpenAPI 3.1 document',
    request: {},
    replies: { 200: document },
    errors: [],
  }),
  asyncapi: contract({
    ...open,
    id: 'docs.asyncapi',
    path: '/asyncapi.json',
    summary: 'Events of sockets and webhooks as an AsyncAPI 3.0 document',
    request: {},
    replies: { 200: document },
    errors: [],
  }),
  root: contract({
    ...open,
    id: 'docs.root',
    path: '/',
    summary: 'Leads to the reference',
    request: {},
    replies: { 302: { kind: 'redirect', description: 'To the reference' } },
    errors: [],
    hidden: true,
  }),
  reference: contract({
    ...open,
    id: 'docs.reference',
    path: '/docs',
    summary: 'The reference of this interface as a page',
    request: {},
    replies: { 200: page },
    errors: [],
  }),
  guide: contract({
    ...open,
    id: 'docs.guide',
    path: '/docs/{page}',
    summary: 'How to use this interface, step by step, as Markdown',
    description: '`api.md` is the guide, `signing-in.md` each way to a credential.',
    unknownFields: 'ignored',
    request: { path: z.object({ page: z.string().max(64).describe('The name of the page') }) },
    replies: {
      200: { kind: 'page', types: ['text/markdown'], description: 'The page' },
    },
    errors: ['not_found'],
  }),
  failure: contract({
    ...open,
    id: 'docs.failure',
    path: '/docs/errors/{code}',
    summary: 'What a failure code means and what to do about it',
    unknownFields: 'ignored',
    request: { path: z.object({ code: z.string().max(64).describe('The `code` of a problem') }) },
    replies: { 200: page },
    errors: ['not_found'],
  }),
  llms: contract({
    ...open,
    id: 'docs.llms',
    path: '/llms.txt',
    summary: 'A map of the documents for language models',
    request: {},
    replies: { 200: { kind: 'page', types: ['text/plain'], description: 'The map' } },
    errors: [],
  }),
} as const;
