import { contract } from '../../http/contract.ts';
import { prescreenAccountBody, prescreenQuery, prescreenSummaryBody } from './schemas.ts';

/** Results of prescreening: counts without personal data. */
export const prescreenContracts = {
  prescreenAccount: contract({
    id: 'apps.prescreenAccount',
    method: 'get',
    path: '/v2/analytics/prescreen/account',
    summary: 'The account an API key is pinned to',
    description: 'Any API key may ask, whatever its roles. A session is answered 400.',
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
    summary: 'The funnel of the prescreening of an account',
    description: [
      'Checks of links of type `prescreen`, by the UTC day they were created. A single-use link is',
      'one check from its making on, and stands where its newest session does; of a link that is',
      'used by many each session is one. Days are counted every ten minutes, those of long ago too',
      'where something became of a check of theirs; `refreshed_at` says as of when. A range has at',
      'most 366 days. Test checks are counted for keys of test mode, and for them alone.',
    ].join(' '),
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
