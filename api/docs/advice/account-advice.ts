import type { FailureCode } from '../../../workflows/failures.ts';
import type { Advice } from './advice.ts';

/** What is said of the faults of administering an account. */
export const accountAdvice = {
  account_required: {
    when: 'A session may act in several accounts, and nothing says which of them is meant.',
    remedy: 'Send `account_id`.',
  },
  already_member: {
    when: 'The person belongs to the account already, with other roles than these.',
    remedy: 'Change their roles with PATCH on the member.',
  },
  api_key_required: {
    when: 'The operation speaks of the API key that asks, and a session has asked.',
    remedy: 'Call it with an API key. Accounts of a session are listed by `GET /v2/accounts`.',
  },
  app_id_reserved: {
    when: 'The id is the first word of a path of this interface, where no app could be reached.',
    remedy: 'Choose another id.',
  },
  app_id_taken: {
    when: 'An app with this id exists, here or in another account; archived ones keep theirs.',
    remedy: 'Choose another id, or change the app with PATCH if it is yours.',
  },
  app_key_refused: {
    when:
      'An API key that is limited to apps asked for an operation on things that belong to no ' +
      'app: meetings, members, the account and its settings.',
    remedy: 'Call it with an API key without `app_ids`, or with a session.',
  },
  app_limit: {
    when: 'The account has a hundred apps; archived ones count, since they keep their ids.',
    remedy: 'Use the apps there are: what an app asks for can differ by link.',
  },
  logo_refused: {
    when: 'The image at `logo_url` cannot be fetched or decoded; the app is as it was before.',
    remedy:
      'Serve a PNG, JPEG or WebP of at most 1 MiB and 16 million pixels at that address, without ' +
      'a redirect and within five seconds; the `msg` says which of these failed.',
  },
  insufficient_scope: {
    when:
      'The API key has `scopes`, and not the one that `scope` names. A key with scopes creates ' +
      'only keys with the same scopes or fewer.',
    remedy: 'Use a key with that scope, or create one: scopes of a key do not change.',
  },
  key_ended: {
    when: 'The API key to rotate is revoked or has expired.',
    remedy: 'Create a new key.',
  },
  key_rotated: {
    when: 'The API key was rotated before; `replaced_by` is the id of its successor.',
    remedy: 'Use or rotate the successor. If its secret is lost, revoke it and create a key.',
  },
  last_admin: {
    when: 'The member is the only ADMIN of the account, and would not be one any more.',
    remedy: 'Make somebody else an ADMIN first.',
  },
  live_key_required: {
    when:
      'A `tk_test_…` key asked for an operation on the account itself: members, API keys, ' +
      'sign-in providers, the audit log, connections, or the account.',
    remedy: 'Call it with a live API key or a session of an ADMIN.',
  },
  provider_taken: {
    when: 'Names of sign-in providers are unique over the platform; another account has this one.',
    remedy: 'Choose another name.',
  },
  session_limit: {
    when: 'Five thousand sessions of the link are open: they neither ended nor were left for long.',
    remedy:
      'Try again after Retry-After: a page that is left ends in 30 minutes. Give another link to ' +
      'the people who still come, or cancel sessions that nobody needs.',
  },
  session_required: {
    when: 'The operation speaks of the person that asks, and an API key is no person.',
    remedy: 'Call it with a session token, or read the logs of the account.',
  },
  test_key_required: {
    when:
      'A sandbox operation was called without a `tk_test_…` key, or a live key tried to ' +
      'change the outcome of an object in test mode.',
    remedy: 'Call it with a `tk_test_…` key of the account. A live key creates one.',
  },
  test_mode_required: {
    when: 'A meeting of a live link was to be started on the sandbox platform.',
    remedy: 'Leave out `platform`, or use a link of an app in test mode.',
  },
} as const satisfies Partial<Record<FailureCode, Advice>>;
