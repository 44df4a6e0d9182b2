import { z } from 'zod';
import { contract } from '../../http/contract.ts';

const bodyBytesMax = 256 * 1024;

/** Returned unchanged, so it allows only visible characters, without those of markup. */
const validation = z.object({
  validationToken: z
    .string()
    .regex(/^[\x20-\x3b\x3d\x3f-\x7e]{1,1024}$/, 'must be a validation token')
    .optional()
    .describe('Token of a validation request of the platform'),
});
const confirmed = {
  200: { kind: 'page', types: ['text/plain'], description: 'The decoded token' },
} as const;
const hook = {
  errors: ['platform_not_configured'],
  limit: { points: 6_000, seconds: 60, by: 'address' },
} as const;

/**
 * Operations that conference platform B calls. The handshake needs no setting. The other operations
 * answer `platform_not_configured` without the adapter.
 */
export const hookContracts = {
  confirmHook: contract({
    ...hook,
    auth: ['public'],
    id: 'meetings.confirmHook',
    method: 'get',
    path: '/v2/conf-b/event',
    summary: 'Confirm to conference platform B that it can send notifications',
    unknownFields: 'ignored',
    request: { query: validation },
    replies: confirmed,
    errors: [],
  }),
  eventHook: contract({
    ...hook,
    auth: ['webhook'],
    id: 'meetings.eventHook',
    method: 'post',
    path: '/v2/conf-b/event',
    summary: 'Notifications of conference platform B',
    description:
      'Stores each notification, responds at once, and notifies the workflow of the ' +
      'meeting afterwards. Each notification counts once. One without the `clientState` of ' +
      'its subscription gets the same response and is dropped.',
    unknownFields: 'ignored',
    request: { query: validation, rawBytesMax: bodyBytesMax },
    replies: { ...confirmed, 202: { kind: 'empty', description: 'Notifications accepted' } },
  }),
  botHook: contract({
    ...hook,
    auth: ['webhook'],
    id: 'meetings.botHook',
    method: 'post',
    path: '/v2/conf-b/bot',
    summary: 'Messages of the bot on conference platform B',
    description: [
      'Authenticated by the token of the platform: of its issuer, for our app, for the service',
      'that the message names, by a key endorsed for the channel of the message. A message of',
      'another tenant than the meeting’s is answered alike and dropped. Each message is stored',
      'before the answer and counts once; the workflow of the meeting is notified afterwards.',
    ].join(' '),
    errors: ['credential_invalid', 'platform_not_configured'],
    unknownFields: 'ignored',
    request: { rawBytesMax: bodyBytesMax },
    replies: { 202: { kind: 'empty', description: 'Message accepted' } },
  }),
  loaded: contract({
    ...hook,
    auth: ['public'],
    id: 'meetings.loaded',
    method: 'post',
    path: '/v2/conf-b/loaded',
    summary: 'Report that our page within conference platform B has loaded',
    description: 'The caller is not trusted: only the platform reports who is present.',
    unknownFields: 'ignored',
    request: { rawBytesMax: bodyBytesMax },
    replies: { 200: { kind: 'empty', description: 'Report accepted' } },
  }),
} as const;
