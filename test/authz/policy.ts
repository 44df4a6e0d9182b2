import {
  account,
  accountOfCaller,
  alike,
  anyone,
  begun,
  blind,
  changing,
  check,
  credential,
  notWhole,
  open,
  type Outcome,
  owned,
  person,
  type Rule,
  special,
  subjectOrAdmin,
  tooLow,
  unbelieved,
  unknown,
} from './rules.ts';

const ok = [200] as const;
const made = [201] as const;
const led = [302] as const;
const state = [409, 'invalid_state'] as const;
const noPlatform = [409, 'platform_not_configured'] as const;
const unconnected = [404, 'not_found'] as const;
const inactive = [409, 'link_not_active'] as const;
const noNonce = [401, 'attest_nonce_required'] as const;
const badMail = [401, 'email_token_invalid'] as const;
const unproved = [403, 'assurance_required'] as const;
const liveOnly = [403, 'test_mode_required'] as const;
const ofOther = [403, 'account_mismatch'] as const;
const noMember = [401, 'membership_required'] as const;

const reader = (outcome: Outcome = ok): Rule => account('VIEWER', outcome);
const member = (outcome: Outcome = ok): Rule => account('MEMBER', outcome);
const admin = (outcome: Outcome = ok): Rule => account('ADMIN', outcome);
/** Of what an account has: the account is asked first, what lies in it after the role. */
const adminIn = (outcome: Outcome = ok): Rule => account('ADMIN', outcome, 'role first');
/** Only what is in test mode moves for a key of test mode (domain §5). */
const testOnly = (outcome: Outcome): Rule =>
  account('MEMBER', (principal) => (principal.isTest ? outcome : liveOnly));

/** What anybody may read, or begin with. */
const publicRows: Readonly<Record<string, Rule>> = {
  'GET /': anyone(led),
  'GET /.well-known/apple-app-site-association': anyone(ok),
  'GET /.well-known/assetlinks.json': anyone(ok),
  'GET /.well-known/ios-app-site-association': anyone(ok),
  'GET /.well-known/jwks.json': anyone(ok),
  'GET /apple-app-site-association': anyone(ok),
  'GET /ios-app-site-association': anyone(ok),
  'GET /users/{poly_user_id}/.well-known/jwks.json': open(ok),
  'GET /assets/{name}': anyone(ok),
  'GET /asyncapi.json': anyone(ok),
  'GET /openapi.json': anyone(ok),
  'GET /llms.txt': anyone(ok),
  'GET /docs': anyone(ok),
  'GET /docs/errors/{code}': anyone(ok),
  'GET /docs/{page}': anyone(ok),
  // The cookie belongs to a flow, and none is named.
  'GET /cal/oauth/callback': anyone(unbelieved),
  'GET /email/verify': anyone(ok),
  'GET /livez': anyone(ok),
  'GET /readyz': anyone(ok),
  'GET /startupz': anyone(ok),
  'GET /outbox': anyone(ok),
  'GET /outbox/messages': anyone(ok),
  // Nothing signed the address.
  'GET /objects/{key*}': alike(unknown),
  'GET /pki/trust-bundle.pem': anyone(ok),
  'GET /pki/{file}': anyone(ok),
  'GET /verify/{affidavit_id}': open(ok),
  // Operators have a token of another kind.
  'POST /codec/decode': blind(unbelieved),
  'POST /codec/encode': blind(unbelieved),
  // A signature over the body is what is believed.
  'POST /v2/mail/events': blind(unbelieved),
  'POST /v2/conf-b/bot': blind(noPlatform),
  'GET /v2/conf-b/event': anyone(noPlatform),
  'POST /v2/conf-b/event': blind(noPlatform),
  'POST /v2/conf-b/loaded': anyone(noPlatform),
  'GET /success/by-app/{app_id}': open(ok),
  'GET /success/{link_uuid}': open(ok),
  'GET /v2/photo/{bucket_name}/{object_path}': open(led),
  'GET /v2/meeting-by-link/{link_uuid}': open(ok),
  'GET /v2/first-run': anyone(ok),
  'GET /v2/{link_uuid}': open(ok),
  'GET /v2/{app_id}/{link_uuid}': open(ok, true),
  'GET /v2/preview/{format_type}/{app_id}/{link_uuid}': open(ok, true),
  'POST /v2/{link_uuid}': alike(noNonce),
  'POST /v2/{app_id}/{link_uuid}': alike(noNonce),
  'POST /v2/trust-checks': begun(inactive),
  'POST /v2/devices/challenge': anyone(made),
  'POST /v2/devices/{device_id}/certificate': alike(noNonce),
};

/** Signing in, and what a person has. */
const personRows: Readonly<Record<string, Rule>> = {
  'POST /portal_login': anyone(ok),
  'POST /api/v1/auth/token': anyone(ok),
  'POST /create_invite_exchange_token': anyone(ok),
  'POST /exchange_invite_token': special(['own', 'unknown'], (_principal, where) =>
    where === 'own' ? ok : unknown,
  ),
  'POST /v2/session/switch_account': special(
    ['own', 'foreign', 'unknown'],
    ({ is, of, role }, where) => {
      if (is !== 'session') return unbelieved;
      return of === where && role !== 'POLYADMIN' ? ok : noMember;
    },
  ),
  // Anybody is asked for the session first; one by certified device cannot be raised.
  'POST /v2/session/step_up': special(['own'], ({ is, method, isLent }) => {
    if (is !== 'session' || isLent) return unbelieved;
    return method === 'email' ? ok : state;
  }),
  'POST /v2/email/login/request': anyone([202]),
  'POST /v2/email/login/verify': anyone(badMail),
  'POST /v2/email/link/request': person(
    ({ method }) => (method === 'cert' ? [202] : unproved),
    true,
  ),
  'POST /v2/email/link/verify': person(
    ({ method }) => (method === 'cert' ? badMail : unproved),
    true,
  ),
  'GET /v2/email/link': person(ok, true),
  'DELETE /v2/email/link/{identity_id}': owned(ok),
  'GET /v2/devices': person(ok, true),
  'DELETE /v2/devices/{device_id}': owned(ok),
  'POST /v2/devices': special(['own', 'foreign', 'unknown'], ({ is, isLent }, where) => {
    if (is !== 'session' && is !== 'anonymous') return unbelieved;
    if (isLent) return notWhole;
    return where === 'unknown' ? unknown : [401, 'challenge_unknown'];
  }),
  'GET /v2/logs/me': credential(({ is, isLent }) => {
    if (is === 'key') return [400, 'session_required'];
    return isLent ? notWhole : ok;
  }),
  'GET /v2/accounts': person(ok),
  'POST /v2/join/session': open(ok),
  'GET /v2/join/session': special(['own', 'foreign', 'unknown'], ({ is, of }, where) => {
    if (is === 'anonymous') return unknown;
    if (is !== 'join') return unbelieved;
    return of === where ? ok : unknown;
  }),
};

/** What an account has, by the interface's own operations. */
const accountRows: Readonly<Record<string, Rule>> = {
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
  // Whoever was in the meeting, or an ADMIN: every miss is the same (domain §6).
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
  // The version the caller has seen is another: it is asked after who may, and nothing is deleted.
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
  // Expected values stand in it: for who creates and edits links.
  'GET /v2/raw/{link_uuid}': member(),
};

/** Operations of our own. */
const ownRows: Readonly<Record<string, Rule>> = {
  'GET /v2/trust-checks': reader(),
  'GET /v2/trust-checks/{id}': check(ok, 'VIEWER'),
  'GET /v2/trust-checks/{id}/events': check(ok, 'VIEWER'),
  // The check was canceled: what its holder may do is refused for that alone.
  'POST /v2/trust-checks/{id}/open': check(ok),
  'POST /v2/trust-checks/{id}/pair': check(state),
  'POST /v2/trust-checks/{id}/consent': check(state),
  'POST /v2/trust-checks/{id}/phone/code': check(state),
  'PUT /v2/trust-checks/{id}/evidence/{name}': check(state),
  'POST /v2/trust-checks/{id}/proofs/{proof}': check(state),
  'POST /v2/trust-checks/{id}/challenges': check([409, 'proof_not_expected']),
  'POST /v2/trust-checks/{id}/retry': check(state, 'MEMBER'),
  'POST /v2/trust-checks/{id}/cancel': check(state, 'MEMBER'),
  'POST /v2/trust-checks/{id}/review': account('REVIEWER', state),
  'GET /v2/trust-checks/{id}/evidence': subjectOrAdmin(ok, tooLow),
  'POST /v2/trust-checks/{id}/revoke': admin(state),
  'POST /v2/trust-checks/{id}/redact': admin(state),
  'GET /v2/events': accountOfCaller('VIEWER', ok),
  'GET /v2/events/{event_id}': reader(),
  'POST /v2/accounts/{account_id}/webhook-endpoints': admin(made),
  'GET /v2/accounts/{account_id}/webhook-endpoints': admin(),
  'GET /v2/accounts/{account_id}/webhook-endpoints/{endpoint_id}': adminIn(),
  'PATCH /v2/accounts/{account_id}/webhook-endpoints/{endpoint_id}': adminIn(),
  'DELETE /v2/accounts/{account_id}/webhook-endpoints/{endpoint_id}': adminIn(),
  'POST /v2/accounts/{account_id}/webhook-endpoints/{endpoint_id}/rotate-secret': adminIn(),
  'POST /v2/accounts/{account_id}/webhook-endpoints/{endpoint_id}/test': adminIn(made),
  'GET /v2/accounts/{account_id}/webhook-endpoints/{endpoint_id}/deliveries': adminIn(),
  // It has not ended yet.
  'POST /v2/accounts/{account_id}/webhook-endpoints/{endpoint_id}/deliveries/{delivery_id}/replay':
    adminIn(state),
  'GET /v2/accounts/{account_id}': reader(),
  'PATCH /v2/accounts/{account_id}': admin(),
  'GET /v2/accounts/{account_id}/members': admin(),
  'POST /v2/accounts/{account_id}/members': admin(made),
  'PATCH /v2/accounts/{account_id}/members/{poly_user_id}': adminIn(),
  'DELETE /v2/accounts/{account_id}/members/{poly_user_id}': adminIn(),
  'GET /v2/accounts/{account_id}/api-keys': admin(),
  'POST /v2/accounts/{account_id}/api-keys': admin(made),
  'DELETE /v2/accounts/{account_id}/api-keys/{key_id}': adminIn(),
  'PUT /v2/accounts/{account_id}/apps/{app_id}': admin(made),
  'GET /v2/accounts/{account_id}/apps/{app_id}': adminIn(),
  'PATCH /v2/accounts/{account_id}/apps/{app_id}': adminIn(),
  'DELETE /v2/accounts/{account_id}/apps/{app_id}': adminIn(),
  'GET /v2/accounts/{account_id}/sso-providers': admin(),
  'PUT /v2/accounts/{account_id}/sso-providers/{provider}': admin(),
  'DELETE /v2/accounts/{account_id}/sso-providers/{provider}': adminIn(),
  'GET /v2/accounts/{account_id}/audit': admin(),
  'GET /cal/oauth/start': admin(),
  'GET /cal/routing-addresses': admin(),
  'GET /v2/rate-limits': credential(ok),
  'POST /v2/sandbox/advance': testOnly(state),
  'POST /v2/sandbox/events': testOnly(made),
  // Who has a join token comes in by it alone, once it is ready.
  'POST /v2/sandbox/meetings/{meeting_id}/events': special(
    ['own', 'foreign', 'unknown'],
    (principal, where) => {
      if (principal.is !== 'join') return testOnly([202]).expect(principal, where);
      return principal.of === where ? state : unknown;
    },
  ),
};

/**
 * Who may do what, by method and path: written by hand from the interface and the tables of our own
 * operations, and by intent not from the contracts, which it is held against.
 */
export const policy: Readonly<Record<string, Rule>> = {
  ...publicRows,
  ...personRows,
  ...accountRows,
  ...ownRows,
};
