const mark = 'a mark of a relay, harmless to repeat: what it marks is done once under its own id';
const locked = 'under a lock that a race is about';
const same = 'whoever comes last writes what whoever came first did';
const seeding = 'of the command line and of seeds, harmless to repeat';

/** Statements where it matters who comes first and that no race is about, each with the reason. */
export const unraced: Readonly<Record<string, string>> = {
  'affidavits.started': mark,
  'api_keys.touch': 'when a key was last used, to the minute',
  'apps.update': locked,
  'calendar_connections.insert': 'told of a conflict, it renews what is there',
  'calendar_connections.lock': 'its workflow alone changes it, and the lock keeps a renewal apart',
  'calendar_connections.lock_by_subject':
    'of two flows of one calendar the later renews what the other made',
  'calendar_connections.told': mark,
  'certificates.insert_once': seeding,
  'data_keys.replace': 'the whole table is its matter: test/db/rotation races it on one of its own',
  'devices.add_user': 'its device, in the same transaction, is one a race is about',
  'devices.seen': 'when a device was last seen',
  'email_requests.drop': same,
  'email_requests.take': mark,
  'idempotency.finish': 'by who holds the key, which a race is about',
  'idempotency.lock_until': 'by who holds the key, which a race is about',
  'join_sessions.join': same,
  'join_sessions.lock':
    'the last of the locks of who comes in, behind the link’s and the meeting’s',
  'links.invited': mark,
  'links.sessions_ended': mark,
  'links.set_delivery':
    'it stands for what may come before it, in every order of a table of its own',
  'meeting_reports.fail': same,
  'meetings.started': mark,
  'meetings.write': locked,
  'participants.leave_all': locked,
  'phone_codes.note_delivery':
    'it stands for what may come before it, in every order of a table of its own',
  'phone_codes.resent': locked,
  'poly_users.lock_met': locked,
  'poly_users.move_met': locked,
  'prescreen.refresh': 'as of when all is rolled up: a time',
  'prescreen.roll': locked,
  'kept_evidence.add_image': locked,
  'kept_evidence.remove_images': locked,
  'redaction.copies': locked,
  'redaction.lock_meetings': locked,
  'redaction.meetings': locked,
  'redaction.notes': locked,
  'retention.split': locked,
  'seeding.app': seeding,
  'seeding.membership': seeding,
  'seeding.user': seeding,
  'sms_routes.sent': 'each adds one, in whatever order',
  'sms_routes.verified': 'each adds one, in whatever order',
  'sms_stops.add': 'of those who see the same counts one stops the route, and tells of it',
  'sms_stops.lift': same,
  'tickets.close': 'under the lock of the account, by the command line',
  'trust_checks.started': mark,
  'webhook_deliveries.started': mark,
  'webhooks.attempt': same,
  'webhooks.disable': same,
};
