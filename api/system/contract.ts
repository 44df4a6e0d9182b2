import { z } from 'zod';
import { contract, json } from '../http/contract.ts';
import { integerText } from '../http/fields/integer-text.ts';

const health = z.object({ status: z.literal('ok') });
const readiness = z
  .object({ status: z.enum(['ok', 'failing']), checks: z.record(z.string(), z.boolean()) })
  .meta({ id: 'Readiness' });

/** Health checks, scripts of pages, files of the disk store, and the development outbox. */
export const systemContracts = {
  livez: contract({
    id: 'system.livez',
    method: 'get',
    path: '/livez',
    summary: 'Check that the process runs',
    auth: ['public'],
    request: {},
    replies: { 200: json(health, 'The process runs') },
    errors: [],
  }),
  readyz: contract({
    id: 'system.readyz',
    method: 'get',
    path: '/readyz',
    summary: 'Check that the process can serve: database, workflow server and object store respond',
    auth: ['public'],
    request: {},
    replies: { 200: json(readiness, 'Ready'), 503: json(readiness, 'Not ready') },
    errors: [],
  }),
  startupz: contract({
    id: 'system.startupz',
    method: 'get',
    path: '/startupz',
    summary: 'Check that the process has started',
    auth: ['public'],
    request: {},
    replies: { 200: json(health, 'The process has started') },
    errors: [],
  }),
  asset: contract({
    id: 'system.asset',
    method: 'get',
    path: '/assets/{name}',
    summary: 'Get a script of our own pages',
    auth: ['public'],
    hidden: true,
    request: { path: z.object({ name: z.string().max(128) }) },
    replies: { 200: { kind: 'page', types: ['text/javascript'], description: 'The script' } },
    errors: ['not_found'],
  }),
  sdk: contract({
    id: 'system.sdk',
    method: 'get',
    path: '/sdk/v1.js',
    summary: 'Get the script that displays a check on your page',
    auth: ['public'],
    hidden: true,
    request: {},
    replies: { 200: { kind: 'page', types: ['text/javascript'], description: 'The script' } },
    errors: [],
  }),
  logo: contract({
    id: 'system.logo',
    method: 'get',
    path: '/logos/{name}',
    summary: 'Get the logo of an app, as encoded by this service',
    auth: ['public'],
    hidden: true,
    request: { path: z.object({ name: z.string().max(128) }) },
    replies: { 200: { kind: 'page', types: ['image/png'], description: 'The image' } },
    errors: ['not_found'],
  }),
  object: contract({
    id: 'system.object',
    method: 'get',
    path: '/objects/{key*}',
    summary: 'Get a file of the disk store by a signed URL',
    auth: ['public'],
    hidden: true,
    unknownFields: 'ignored',
    request: {
      path: z.object({ key: z.string().max(512) }),
      query: z.object({
        expires: z.string().max(12).default(''),
        filename: z.string().max(128).default(''),
        type: z.string().max(100).default(''),
        signature: z.string().max(64).default(''),
      }),
    },
    replies: { 200: { kind: 'page', types: ['*/*'], description: 'The file' } },
    errors: ['not_found'],
  }),
  outboxPage: contract({
    id: 'system.outboxPage',
    method: 'get',
    path: '/outbox',
    summary: 'Show the development outbox as a page',
    auth: ['public'],
    hidden: true,
    request: {},
    replies: { 200: { kind: 'page', types: ['text/html'], description: 'The page' } },
    errors: ['not_found', 'host_refused'],
  }),
  outbox: contract({
    id: 'system.outbox',
    method: 'get',
    path: '/outbox/messages',
    summary: 'List the messages of the development outbox, newest first',
    auth: ['public'],
    hidden: true,
    request: { query: z.object({ limit: integerText(1, 200).prefault(50) }) },
    replies: {
      200: json(
        z.object({
          items: z.array(
            z.object({
              id: z.string(),
              channel: z.enum(['mail', 'sms']),
              recipient: z.string(),
              subject: z.string().nullable(),
              text: z.string(),
              created_at: z.iso.datetime(),
            }),
          ),
        }),
        'Messages',
      ),
    },
    errors: ['not_found', 'host_refused'],
  }),
} as const;
