import { newApiKey } from '../../../cli/data-directory/seed.ts';
import type { Things } from './things.ts';

/** Well-formed ids of objects that do not exist. */
export const unknownThings: Things = {
  account_id: '2147483647',
  app_id: 'no-such-app',
  link_uuid: '00000000-0000-4000-8000-000000000000',
  id: `tc_${'0'.repeat(26)}`,
  trust_check_session_id: `tc_${'0'.repeat(26)}`,
  endpoint_id: `we_${'0'.repeat(26)}`,
  delivery_id: `wd_${'0'.repeat(32)}`,
  key_id: newApiKey('live').id,
  poly_user_id: 'pu_00000000000000000000000000',
  provider: 'no-such-provider',
  event_id: 'evt_00000000000000000000000000',
  device_id: `dev_${'0'.repeat(26)}`,
  identity_id: '2147483647',
  sid: `sid_${'0'.repeat(26)}`,
  meeting_id: Buffer.alloc(24, 7).toString('base64url'),
  conf_a_account_id: 'no-such-account',
  affidavit_id: 'aff_00000000000000000000000000',
  object_path: `${'A'.repeat(43)}.jpg`,
  encoded_storage_url: Buffer.from('reports/1/none').toString('base64url'),
  pausedLink: '00000000-0000-4000-8000-000000000000',
  startedLink: '00000000-0000-4000-8000-000000000000',
  meetingLink: '00000000-0000-4000-8000-000000000000',
  join_session_id: `js_${'0'.repeat(26)}`,
  participant_id: `pt_${'0'.repeat(26)}`,
  runningCheck: `tc_${'0'.repeat(26)}`,
  spareApp: 'no-such-app',
  guest: 'pu_00000000000000000000000000',
};
