import {
  account,
  accountOfCaller,
  check,
  credential,
  guarded,
  guardedSubject,
  recovering,
  special,
  unknown,
  type Rule,
} from '../rules.ts';
import {
  ok,
  made,
  state,
  reader,
  readerIn,
  member,
  admin,
  adminIn,
  guardedIn,
} from './outcomes.ts';

/** Operations of our own. */
export const ownRows: Readonly<Record<string, Rule>> = {
  'GET /v2/trust-checks': reader(),
  'GET /v2/trust-checks/{id}': check(ok, 'VIEWER'),
  'GET /v2/trust-checks/{id}/events': check(ok, 'VIEWER'),
  // The check is canceled, so its holder gets `invalid_state` for most steps.
  'POST /v2/trust-checks/{id}/open': check(ok),
  'POST /v2/trust-checks/{id}/pair': check(state),
  'POST /v2/trust-checks/{id}/pair-token': check(state),
  'POST /v2/trust-checks/{id}/hand-over': check(state),
  'POST /v2/trust-checks/{id}/consent': check(state),
  'POST /v2/trust-checks/{id}/phone/code': check(state),
  'PUT /v2/trust-checks/{id}/evidence/{name}': check(state),
  'POST /v2/trust-checks/{id}/proofs/{proof}': check(state),
  'POST /v2/trust-checks/{id}/challenges': check([409, 'proof_not_expected']),
  'POST /v2/trust-checks/{id}/retry': check(state, 'MEMBER'),
  'POST /v2/trust-checks/{id}/cancel': check(state, 'MEMBER'),
  'POST /v2/trust-checks/{id}/review': account('REVIEWER', state),
  'GET /v2/trust-checks/{id}/evidence': guardedSubject(ok),
  'POST /v2/trust-checks/{id}/revoke': guarded(state),
  'POST /v2/trust-checks/{id}/redact': guarded(state),
  'GET /v2/events': accountOfCaller('VIEWER', ok),
  'GET /v2/events/{event_id}': reader(),
  'POST /v2/accounts/{account_id}/webhook-endpoints': guarded(made),
  'GET /v2/accounts/{account_id}/webhook-endpoints': admin(),
  'GET /v2/accounts/{account_id}/webhook-endpoints/{endpoint_id}': adminIn(),
  'PATCH /v2/accounts/{account_id}/webhook-endpoints/{endpoint_id}': guardedIn(),
  'DELETE /v2/accounts/{account_id}/webhook-endpoints/{endpoint_id}': guardedIn(),
  'POST /v2/accounts/{account_id}/webhook-endpoints/{endpoint_id}/rotate-secret': guardedIn(),
  'POST /v2/accounts/{account_id}/webhook-endpoints/{endpoint_id}/test': adminIn(made),
  'GET /v2/accounts/{account_id}/webhook-endpoints/{endpoint_id}/deliveries': adminIn(),
  // The delivery has not ended yet.
  'POST /v2/accounts/{account_id}/webhook-endpoints/{endpoint_id}/deliveries/{delivery_id}/replay':
    adminIn(state),
  'GET /v2/accounts/{account_id}': reader(),
  'PATCH /v2/accounts/{account_id}': guarded(ok),
  'GET /v2/accounts/{account_id}/members': admin(),
  'POST /v2/accounts/{account_id}/members': guarded(made),
  'PATCH /v2/accounts/{account_id}/members/{poly_user_id}': guardedIn(),
  'DELETE /v2/accounts/{account_id}/members/{poly_user_id}': guardedIn(),
  'GET /v2/accounts/{account_id}/members/{poly_user_id}/recoveries': admin(),
  'POST /v2/accounts/{account_id}/members/{poly_user_id}/recoveries': recovering([
    409,
    'recovery_unavailable',
  ]),
  'POST /v2/accounts/{account_id}/members/{poly_user_id}/recoveries/{recovery_id}/approve':
    recovering(unknown),
  'POST /v2/accounts/{account_id}/members/{poly_user_id}/recoveries/{recovery_id}/deny':
    recovering(unknown),
  'POST /v2/accounts/{account_id}/members/{poly_user_id}/recoveries/{recovery_id}/cancel':
    recovering(unknown),
  'GET /v2/accounts/{account_id}/api-keys': admin(),
  'POST /v2/accounts/{account_id}/api-keys': guarded(made),
  'DELETE /v2/accounts/{account_id}/api-keys/{key_id}': guardedIn(),
  'POST /v2/accounts/{account_id}/api-keys/{key_id}/rotate': guardedIn(made),
  'PUT /v2/accounts/{account_id}/apps/{app_id}': guarded(made),
  'GET /v2/accounts/{account_id}/apps/{app_id}': adminIn(),
  'GET /v2/accounts/{account_id}/apps/{app_id}/preview': readerIn(),
  'PATCH /v2/accounts/{account_id}/apps/{app_id}': guardedIn(),
  'DELETE /v2/accounts/{account_id}/apps/{app_id}': guardedIn(),
  'GET /v2/accounts/{account_id}/sso-providers': admin(),
  'PUT /v2/accounts/{account_id}/sso-providers/{provider}': guarded(made),
  'DELETE /v2/accounts/{account_id}/sso-providers/{provider}': guardedIn(),
  'GET /v2/accounts/{account_id}/audit': admin(),
  'GET /cal/oauth/start': admin(),
  'GET /cal/routing-addresses': admin(),
  'GET /v2/rate-limits': credential(ok),
  'POST /v2/sandbox/advance': member(state),
  'POST /v2/sandbox/events': member(made),
  // A join token adds only its own participant, and only once the session is ready.
  'POST /v2/sandbox/meetings/{meeting_id}/events': special(
    ['own', 'foreign', 'unknown'],
    (principal, where) => {
      if (principal.is !== 'join') return member([202]).expect(principal, where);
      return principal.of === where ? state : unknown;
    },
  ),
};
