import { contract } from '../http/contract.ts';
import { callbackQuery, routingBody, routingQuery, startBody, startQuery } from './schemas.ts';

/** Connects calendars by the consent of their owners. */
export const calendarContracts = {
  start: contract({
    id: 'calendar.start',
    method: 'get',
    path: '/cal/oauth/start',
    summary: 'Begin to connect a calendar',
    description:
      'Returns the consent URL for the browser, and sets a cookie that ties the callback ' +
      'to this browser: within ten minutes, once. So the calling page must be on this ' +
      'origin, or send the request with credentials from a site that shares the cookie. ' +
      '`organizer` connects the calendar of the signed-in person; `routing` needs an ADMIN.',
    auth: ['key'],
    keyMode: 'live',
    scope: 'calendar:write',
    role: 'MEMBER',
    setsCookie: true,
    request: { query: startQuery },
    replies: { 200: { kind: 'json', schema: startBody, description: 'URL for the consent' } },
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
    summary: 'List the routing addresses, which are invited to meetings',
    description:
      'Returns the addresses of the account. A POLYADMIN also gets the shared ones of all ' +
      'accounts.',
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
    summary: 'Callback of the calendar provider',
    description:
      'Redirects to the `return_to` of the start with the result in `cal` and, for a ' +
      'denial, the reason in `cal_reason`. Without `return_to`, the result is a page; it ' +
      'is 400 if the calendar is not connected. `pending` means that the provider is slow: ' +
      '`calendar.connected` follows. An unknown or used `state` is 401.',
    auth: ['cookie-nonce'],
    setsCookie: true,
    unknownFields: 'ignored',
    request: { query: callbackQuery },
    replies: {
      200: { kind: 'page', types: ['text/html'], description: 'Connected or pending' },
      302: { kind: 'redirect', description: 'Redirect to `return_to`' },
      400: { kind: 'page', types: ['text/html'], description: 'Not connected, with the reason' },
    },
    errors: ['calendar_not_connected', 'credential_invalid', 'platform_not_configured'],
    limit: { points: 60, seconds: 60, by: 'address' },
  }),
} as const;
