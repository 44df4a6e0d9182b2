import { contract } from '../contract.ts';
import { callbackQuery, routingBody, routingQuery, startBody, startQuery } from './schemas.ts';

/** Calendars that are connected by the consent of whoever has them. */
export const calendarContracts = {
  start: contract({
    id: 'calendar.start',
    method: 'get',
    path: '/cal/oauth/start',
    summary: 'Begin to connect a calendar',
    description: [
      'Answers where to lead the browser for consent, and sets a cookie by which the callback',
      'knows that the same browser comes back: within ten minutes, once. So the page that calls',
      'it stands on this very origin, or asks with credentials from a site that shares them.',
      '`organizer` connects the calendar of the person whose session it is; `routing` takes an',
      'ADMIN.',
    ].join(' '),
    auth: ['key'],
    keyMode: 'live',
    scope: 'calendar:write',
    role: 'MEMBER',
    request: { query: startQuery },
    replies: { 200: { kind: 'json', schema: startBody, description: 'Where consent is given' } },
    errors: [
      'account_required',
      'credential_invalid',
      'dependency_unavailable',
      'forbidden_target',
      'not_found',
      'platform_not_configured',
      'role_required',
      'session_required',
    ],
    limit: { points: 30, seconds: 60, by: 'caller' },
  }),
  routingAddresses: contract({
    id: 'calendar.routingAddresses',
    method: 'get',
    path: '/cal/routing-addresses',
    summary: 'Addresses that are invited to meetings',
    description: 'Those of the account; to a POLYADMIN those that all accounts share, too.',
    auth: ['key'],
    keyMode: 'live',
    role: 'ADMIN',
    request: { query: routingQuery },
    replies: { 200: { kind: 'json', schema: routingBody, description: 'A page of addresses' } },
    errors: ['credential_invalid', 'not_found', 'platform_not_configured', 'role_required'],
  }),
  callback: contract({
    id: 'calendar.callback',
    method: 'get',
    path: '/cal/oauth/callback',
    summary: 'The way back from the calendar provider',
    description: [
      'Leads to the `return_to` of the start with `cal`, how it has ended, and where it was denied',
      '`cal_reason`; without one it is a page. `pending`: the provider is slow, and',
      '`calendar.connected` will tell. A `state` that is unknown, or was used, is 401.',
    ].join(' '),
    auth: ['cookie-nonce'],
    unknownFields: 'ignored',
    request: { query: callbackQuery },
    replies: {
      200: { kind: 'page', types: ['text/html'], description: 'How it has ended' },
      302: { kind: 'redirect', description: 'Back to where it was begun' },
    },
    errors: ['credential_invalid', 'platform_not_configured'],
    limit: { points: 60, seconds: 60, by: 'address' },
  }),
} as const;
