import { family } from '../contract.ts';
import { affidavit } from './affidavit.ts';
import { logContracts } from './contract.ts';
import { meeting } from './meeting.ts';
import { meetingLogContracts } from './meeting-contract.ts';

export const logs = family(
  'logs',
  { ...logContracts, meeting: meetingLogContracts.meeting },
  { affidavit, meeting },
);
