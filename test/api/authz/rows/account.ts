import {
  account,
  accountOfCaller,
  changing,
  credential,
  special,
  subjectOrAdmin,
  tooLow,
  unbelieved,
  unknown,
  type Rule,
} from '../rules.ts';
import {
  ok,
  led,
  state,
  noPlatform,
  unconnected,
  ofOther,
  reader,
  member,
  admin,
} from './outcomes.ts';

/** What an account has, by the interface's own operations. */
export const accountRows: Readonly<Record<string, Rule>> = {
  'GET /applications': credential(ok),
  'POST /v2/conf-b/consent': accountOfCaller('ADMIN', noPlatform),
  'POST /v2/conf-b/redirect': accountOfCaller('ADMIN', noPlatform),
  'DELETE /v2/conf-b/consent/{external_id}': accountOfCaller('ADMIN', unconnected),
  'POST /v2/start/{link_uuid}': member(),
  'POST /v2/conf-a/start/{link_uuid}': member(),
  'POST /v2/conf-b/start/{link_uuid}': member(),
  'GET /v2/logs/account/{account_id}': reader(),
  'POST /v2/logs/continuity': reader(),
  'GET /v2/logs/user/{poly_user_id}/account/{account_id}': reader(),
  'POST /v2/logs/meeting/details': reader(),
  'POST /v2/reports/meeting': reader(state),
  // For participants and ADMINs. Every refusal is the same.
  'GET /v2/reports/meeting/{encoded_storage_url}': special(
    ['own', 'foreign', 'unknown'],
    (principal, where) => {
      if (principal.is === 'anonymous') return unknown;
      const answer = admin(led).expect(principal, where);
      return answer === tooLow ? unknown : answer;
    },
  ),
  'GET /v2/affidavits/{app_id}/{trust_check_session_id}/download': subjectOrAdmin(
    led,
    unknown,
    'thing first',
  ),
  'GET /v2/analytics/prescreen/account': credential(({ is }) =>
    is === 'key' ? ok : [400, 'api_key_required'],
  ),
  'GET /v2/analytics/prescreen/summary': special(
    ['own', 'foreign', 'unknown'],
    (principal, where) => {
      if (principal.is === 'key' && principal.of !== where) return ofOther;
      return admin().expect(principal, where);
    },
  ),
  'GET /v2/app/{app_id}/status': reader(),
  'GET /v2/app/{app_id}/users': reader(),
  'POST /v2/ticket/{app_id}': special(['own', 'foreign', 'unknown'], ({ is }, where) => {
    if (is === 'check' || is === 'join') return unbelieved;
    return where === 'unknown' ? unknown : ok;
  }),
  'POST /v2/ticket/{app_id}/{link_uuid}': special(
    ['own', 'foreign', 'unknown', 'crossed', 'missing'],
    ({ is }, where) => {
      if (is === 'check' || is === 'join') return unbelieved;
      return where === 'own' || where === 'foreign' ? ok : unknown;
    },
  ),
  'GET /v2/meeting/{platform}/{meeting_id}': reader(),
  'PUT /v2/link/type/{link_type}': member(),
  'PUT /v2/link/invite/{app_id}': member(),
  'PUT /v2/link/import/{app_id}': member(),
  'PUT /v2/link/{app_id}': member(),
  'PUT /v2/{app_id}': member(),
  'POST /v2/link/send/{app_id}': member(),
  'GET /v2/links/{account_id}/{app_id}': account('VIEWER', ok, 'role first'),
  // The version in If-Match is outdated. It is compared after authorization, so nothing is deleted.
  'DELETE /v2/link/{app_id}/{link_uuid}': changing([412, 'precondition_failed'], 'thing first'),
  'DELETE /v2/{app_id}/{link_uuid}': changing([412, 'precondition_failed'], 'thing first'),
  'DELETE /v2/{link_uuid}': changing([412, 'precondition_failed']),
  'PATCH /v2/link/{app_id}/{link_uuid}': changing(ok, 'thing first'),
  'PATCH /v2/{app_id}/{link_uuid}': changing(ok, 'thing first'),
  'PATCH /v2/{link_uuid}': changing(ok),
  'GET /v2/list-conf-b-links': accountOfCaller('VIEWER', ok),
  'GET /v2/listlinks': accountOfCaller('VIEWER', ok),
  'GET /v2/listlinks/{conf_a_account_id}': reader(),
  'GET /v2/invite-links/{account_id}': reader(),
  // It contains expected values, for MEMBERs and above.
  'GET /v2/raw/{link_uuid}': reader(),
};
