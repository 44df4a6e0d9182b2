import type { Race } from '../../../support/races/race.ts';
import { affidavitRaces } from './affidavits.ts';
import { calendarRaces } from './calendars.ts';
import { checkRaces } from './checks.ts';
import { deviceRaces } from './devices.ts';
import { linkRaces } from './links.ts';
import { logRaces } from './logs.ts';
import { mailRaces } from './mails.ts';
import { meetingRaces } from './meetings.ts';
import { platformRaces } from './platforms.ts';
import { recordRaces } from './records.ts';
import { uploadRaces } from './uploads.ts';

/** The races below HTTP: on a separate database, with a connection per caller. */
export const storeRaces: readonly Race[] = [
  ...linkRaces,
  ...checkRaces,
  ...affidavitRaces,
  ...recordRaces,
  ...calendarRaces,
  ...mailRaces,
  ...meetingRaces,
  ...platformRaces,
  ...deviceRaces,
  ...uploadRaces,
  ...logRaces,
];
