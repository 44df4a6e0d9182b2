/**
 * API statements that may read rows of every account while the account of a request is not decided,
 * each with its reason. A credential that acts for an account decides it; after that these
 * statements are limited like all others.
 * See docs/decisions/008-database-rights.md.
 */
export type Listed = Readonly<Record<string, string>>;

/**
 * Each finds one object by its key. The rest of the request then acts in the account of that
 * object.
 */
export const lookups: Listed = {
  'affidavits.find': 'anyone verifies an affidavit by its id',
  'affidavits.manifest': 'the subject of a check reads its affidavit',
  'api_keys.by_id': 'the key names its account',
  'apps.by_id': 'pages and devices name an app',
  'calendar_flows.take': 'a browser returns with an unguessable state',
  'join_sessions.by_id': 'a join token names its session',
  'join_sessions.of_browser': 'a cookie names the browser that joins a link',
  'links.by_id': 'a link is named by its unguessable id',
  'meeting_reports.by_key': 'a report is named by its unguessable key',
  'meetings.by_key': 'a vendor reports on a meeting by its key',
  'meetings.by_platform_id': 'a vendor reports on a meeting by its own id',
  'photos.by_path': 'a photo is named by its unguessable path',
  'platform_accounts.find': 'a vendor names its own tenant',
  'recoveries.find_live': 'an enrollment finds the recovery of its person',
  'recoveries.lock_live': 'an enrollment finds the recovery of its person',
  'sso_providers.find': 'a sign-in names its provider',
  'trust_checks.by_id': 'a check token names its session',
  'trust_checks.lock': 'a check token names its session',
};

const ofPerson = 'a person has rows in several accounts';
const ofOrigin = 'the origin of a page is checked before its caller';
const ofCredential = 'decides whether the credential of a caller still holds';

/** Each reads or changes rows of several accounts. The account of the request stays the same. */
export const spanning: Listed = {
  'accounts.count': ofPerson,
  'accounts.page': ofPerson,
  'api_keys.live': ofCredential,
  'app_logos.by_digest': 'an image is named by its digest, whichever app shows it',
  'apps.allows_origin': ofOrigin,
  'apps.allows_origin_to_check': ofOrigin,
  'apps.allows_origin_to_join': ofOrigin,
  'apps.count': ofPerson,
  'apps.identities': 'public files name the apps of every account',
  'apps.page': ofPerson,
  'certificates.held_by_user': ofPerson,
  'devices.drop_unasked': 'a device belongs to an app of any account',
  'events.list_stream': 'a socket follows the stream it was admitted to',
  'invited_addresses.take': ofPerson,
  'invited_people.count': ofPerson,
  'invited_people.page': ofPerson,
  'join_sessions.standings': 'a socket of a join token asks whether it is still admitted',
  'links.preview': 'a page shows one link by its unguessable id and asks nothing else',
  'logs.accounts_of': ofPerson,
  'mail_reports.insert': 'the mail provider reports on links of several accounts at once',
  'memberships.belonging': ofPerson,
  'memberships.held': ofPerson,
  'memberships.of_user': ofPerson,
  'opened_imports.note': 'removes the ended rows of every account',
  'opened_imports.take': 'an installed app asks which link its phone opened',
  'phone_codes.note_delivery': 'the SMS provider reports on a message by its name',
  'poly_users.adopt': ofPerson,
  'poly_users.lock_met': ofPerson,
  'poly_users.move_met': ofPerson,
  'proof_challenges.insert': 'removes the ended rows of every account',
  'sessions.live': ofCredential,
  'sessions.live_of': ofCredential,
  'trust_checks.running_of_device': 'a device is revoked in every account',
};

/** Includes the logs of a person over all accounts. Their names are composed. */
export const isListed = (name: string): boolean =>
  name in lookups || name in spanning || name.startsWith('logs.everywhere_');
