import {
  anyone,
  credential,
  notWhole,
  ofMember,
  open,
  owned,
  person,
  special,
  unbelieved,
  unknown,
  isUnprovenSelf,
  unproven,
  type Rule,
} from '../rules.ts';
import { ok, ofAnother, badMail, unproved, noMember } from './outcomes.ts';

/** Sign-in, and operations on a person's own objects. */
export const personRows: Readonly<Record<string, Rule>> = {
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
  // Every caller needs a session first. The bundle is that of the ADMIN.
  'POST /v2/session/step_up': special(['own'], ({ is, of, method, isLent, isOwner }) => {
    if (is !== 'session' || isLent) return unbelieved;
    return method === 'email' || (isOwner && of === 'own') ? ok : ofAnother;
  }),
  'POST /v2/email/login/request': anyone([202]),
  'POST /v2/email/login/verify': anyone(badMail),
  'POST /v2/email/link/request': person((principal) => {
    if (isUnprovenSelf(principal)) return unproven;
    return principal.method === 'cert' ? [202] : unproved;
  }, true),
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
  'GET /v2/sessions': person(ok),
  'POST /v2/session/sign_out': person([204]),
  // A session limited to one account cannot end other sessions.
  'DELETE /v2/sessions/{sid}': special(['own', 'foreign', 'unknown'], (principal, where) => {
    const { is, isLent, isOwner, of } = principal;
    if (is !== 'session') return unbelieved;
    return isOwner && !isLent && of === where ? [204] : unknown;
  }),
  'GET /v2/accounts': person(ok),
  'GET /v2/invitations': person(ok, true),
  // Members have accepted already, so accepting again returns the same.
  'POST /v2/accounts/{account_id}/accept': ofMember(ok),
  // No principal is invited.
  'POST /v2/accounts/{account_id}/decline': ofMember(unknown),
  'DELETE /v2/accounts/{account_id}/membership': ofMember(ok, true),
  'POST /v2/join/session': open(ok),
  'GET /v2/join/session': special(['own', 'foreign', 'unknown'], ({ is, of }, where) => {
    if (is === 'anonymous') return unknown;
    if (is !== 'join') return unbelieved;
    return of === where ? ok : unknown;
  }),
};
