import { contract } from '../../http/contract.ts';
import { prescreenAccountBody, prescreenQuery, prescreenSummaryBody } from './schemas.ts';

/** Results of prescreening: counts without personal data. */
export const prescreenContracts = {
  prescreenAccount: contract({
    id: 'apps.prescreenAccount',
    method: 'get',
    path: '/v2/analytics/prescreen/account',
    summary: 'Get the account of an API key',
    description: 'Accepts any API key, whatever its roles. A session gets 400.',
    auth: ['key'],
    keyMode: 'self',
    request: {},
    replies: { 200: { kind: 'json', schema: prescreenAccountBody, description: 'The account' } },
    errors: ['api_key_required', 'credential_invalid'],
  }),
  prescreenSummary: contract({
    id: 'apps.prescreenSummary',
    method: 'get',
    path: '/v2/analytics/prescreen/summary',
    summary: 'Get the prescreening funnel of an account',
    description:
      'Counts checks of links of type `prescreen` by the UTC day of their creation. A ' +
      'single-use link is one check from its creation, in the state of its newest session. ' +
      'For other links, each session is one check. The counts are updated every ten ' +
      'minutes, also for past days with changed checks; `refreshed_at` is the time of the ' +
      'last update. A range has at most 366 days. Test keys get only test checks, other ' +
      'callers only live checks.',
    auth: ['key'],
    keyMode: 'either',
    role: 'ADMIN',
    request: { query: prescreenQuery },
    replies: { 200: { kind: 'json', schema: prescreenSummaryBody, description: 'The summary' } },
    errors: [
      'account_mismatch',
      'account_required',
      'credential_invalid',
      'not_found',
      'role_required',
    ],
  }),
} as const;
