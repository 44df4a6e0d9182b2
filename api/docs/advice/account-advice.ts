import type { FailureCode } from '../../../workflows/failures.ts';
import type { Advice } from './advice.ts';

/** What is said of the faults of administering an account. */
export const accountAdvice = {
  account_required: {
    when: 'The session has several accounts, and the request names none.',
    remedy: 'Send `account_id`.',
  },
  already_member: {
    when: 'The person is a member of the account with other roles.',
    remedy: 'Change the roles with PATCH on the member.',
  },
  api_key_required: {
    when: 'The operation is about the API key of the caller, and the caller has a session.',
    remedy: 'Call it with an API key. `GET /v2/accounts` lists the accounts of a session.',
  },
  app_id_reserved: {
    when: 'The id is the first word of a path of this API, so the app could not be reached.',
    remedy: 'Choose another id.',
  },
  app_id_taken: {
    when:
      'An app with this id exists, in this account or another one. Archived apps keep their ' +
      'ids.',
    remedy: 'Choose another id. If the app is yours, change it with PATCH.',
  },
  app_key_refused: {
    when:
      'An API key that is limited to apps called an operation on objects without an app: ' +
      'meetings, members, the account and its settings.',
    remedy: 'Use an API key without `app_ids`, or a session.',
  },
  app_limit: {
    when: 'The account has a hundred apps. Archived apps count, because they keep their ids.',
    remedy: 'Use an existing app: each link can request other proofs.',
  },
  logo_refused: {
    when: 'The service cannot fetch or decode the image at `logo_url`. The app is unchanged.',
    remedy:
      'Serve a PNG, JPEG or WebP of at most 1 MiB and 16 million pixels at that address, ' +
      'without a redirect and within five seconds. `msg` says what failed.',
  },
  insufficient_scope: {
    when:
      'The API key has `scopes` without the one in `scope`. A key with scopes creates only ' +
      'keys with the same scopes or fewer.',
    remedy: 'Use a key with that scope, or create one. The scopes of a key cannot change.',
  },
  key_ended: {
    when: 'The API key that you rotate is revoked or has expired.',
    remedy: 'Create a new key.',
  },
  key_rotated: {
    when: 'The API key was rotated before. `replaced_by` is the id of its successor.',
    remedy: 'Use or rotate the successor. If its secret is lost, revoke it and create a key.',
  },
  last_admin: {
    when: 'The change would leave the account without an ADMIN.',
    remedy: 'Give another member the role ADMIN first.',
  },
  live_key_required: {
    when:
      'A `tk_test_…` key called an operation on the account itself: members, API keys, ' +
      'sign-in providers, the audit log, connections, or the account.',
    remedy: 'Use a live API key, or a session of an ADMIN.',
  },
  provider_taken: {
    when:
      'Names of sign-in providers are unique on the platform, and another account uses this ' +
      'one.',
    remedy: 'Choose another name.',
  },
  session_limit: {
    when: 'The link has 5,000 open sessions.',
    remedy:
      'Try again after `Retry-After`: an abandoned session ends in 30 minutes. Send another ' +
      'link to the next people, or cancel sessions that are not needed.',
  },
  session_required: {
    when: 'The operation is about the person who calls it, and the caller has an API key.',
    remedy: 'Use a session token, or read the logs of the account.',
  },
  test_key_required: {
    when:
      'A sandbox operation was called without a `tk_test_…` key, or a live key tried to set ' +
      'the outcome of an object in test mode.',
    remedy: 'Use a `tk_test_…` key of the account. A live key can create one.',
  },
  test_mode_required: {
    when: 'The request starts a meeting of a live link on the sandbox platform.',
    remedy: 'Omit `platform`, or use a link of an app in test mode.',
  },
} as const satisfies Partial<Record<FailureCode, Advice>>;
